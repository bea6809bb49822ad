import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLIENTS } from '../../../../server/modules/landing/clients.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

let gateway: RunningGateway;
beforeAll(async () => {
  const connectors = [fakeConnector({ title: 'Library <i>of</i> Babel', tools: [fakeTool({ name: 'library_find' })] })];
  gateway = await startGateway({ connectors, secretOf: () => '' });
});
afterAll(() => gateway.close());

async function open(path: string, init: RequestInit = { headers: BROWSER }) {
  const response = await fetch(new URL(path, gateway.url), init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const unescaped = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

describe('the landing page', () => {
  let text: string;
  let headers: Headers;
  beforeAll(async () => {
    const page = await open('/');
    expect(page.status).toBe(200);
    ({ text, headers } = page);
  });

  test('names the endpoint, the services and their number of tools, with links', () => {
    expect(text).toContain(`aria-label="the address">${gateway.url}</pre>`);
    expect(text).toContain(
      '<a href="/tools/library">Library &lt;i&gt;of&lt;/i&gt; Babel</a></strong> <span class="quiet">1 read-only tool</span>',
    );
    expect(text).toContain('<a href="/tools">');
  });

  test.each(CLIENTS.map(({ name, tried, documentation }) => [name, tried, documentation] as const))(
    'has instructions for %s, and says whether they were tried',
    (name, tried, documentation) => {
      const part = text.split('<input type="radio"').find((piece) => piece.includes(`>${name}</label>`));
      expect(part).toContain('<pre tabindex="0"');
      expect(part).toContain(`href="${documentation}"`);
      const says = tried.length === 0 ? 'Not tested: written from its documentation.' : 'Tested: signing in';
      expect(part).toContain(says);
      for (const { package: name, version } of tried) expect(part).toContain(`${name} ${version}`);
    },
  );

  test('lists each client once', () => {
    expect(new Set(CLIENTS.map(({ name }) => name)).size).toBe(CLIENTS.length);
  });

  test('shows the configuration of a client with a token', () => {
    const blocks = [...text.matchAll(/<pre[^>]*>([^<]*)<\/pre>/g)].map(([, block = '']) => unescaped(block));
    const configuration = blocks.find((block) => block.includes('Authorization') && block.startsWith('{')) ?? '';
    expect(JSON.parse(configuration)).toEqual({
      mcpServers: {
        'unified-tools': { type: 'http', url: gateway.url, headers: { Authorization: 'Bearer <ACCESS_TOKEN>' } },
      },
    });
  });

  test('has links that open clients with all fields filled in', () => {
    const links = [...text.matchAll(/class="button install" href="([^"]*)"/g)].map(([, href = '']) => unescaped(href));
    const url = gateway.url;
    const config = Buffer.from(JSON.stringify({ url })).toString('base64');
    const server = JSON.stringify({ name: 'unified-tools', type: 'http', url });
    expect(links).toEqual([
      `https://claude.ai/customize/connectors?modal=add-custom-connector&connectorName=unified-tools&connectorUrl=${encodeURIComponent(url)}`,
      `lmstudio://add_mcp?name=unified-tools&config=${encodeURIComponent(config)}`,
      `goose://extension?url=${encodeURIComponent(url)}&type=streamable_http&id=unified-tools&name=unified-tools&description=The%20tools%20of%20the%20services%20that%20you%20have%20connected`,
      `cursor://anysphere.cursor-deeplink/mcp/install?name=unified-tools&config=${encodeURIComponent(config)}`,
      `vscode:mcp/install?${encodeURIComponent(server)}`,
      `vscode-insiders:mcp/install?${encodeURIComponent(server)}`,
      `https://kiro.dev/launch/mcp/add?name=unified-tools&config=${encodeURIComponent(JSON.stringify({ url }))}`,
    ]);
  });

  test('runs one inline script, and loads nothing but its style sheet', () => {
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self'; script-src 'sha256-[^']+'; img-src data:;/,
    );
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(text).not.toMatch(/\ssrc=|<link(?![^>]*href="(?:data:,|#end|\/api\/mcp\/style-\w+\.css)")|@import|url\(/);
  });
});

describe('the MCP address', () => {
  test('shows a browser what it is and how to add it, with the status and challenge of the endpoint', async () => {
    const page = await open(gateway.url);
    const program = await open(gateway.url, { headers: { Accept: 'application/json, text/event-stream' } });
    expect([page.status, page.headers.get('Content-Type')]).toEqual([401, 'text/html; charset=utf-8']);
    expect(page.headers.get('WWW-Authenticate')).toBe(program.headers.get('WWW-Authenticate'));
    expect(page.headers.get('WWW-Authenticate')).toContain('resource_metadata=');
    expect(page.text).toContain('<h1>This address is for MCP clients</h1>');
    expect(page.text).toContain(`>${gateway.url}</pre>`);
    expect(page.text).toContain('>Cursor</label>');
  });

  test.each(['/api/mcp/unified/', '/API/mcp/unified', '/api/mcp/unified?utm_source=mail'])(
    'shows the page under %s too',
    async (path) => {
      expect((await open(path)).text).toContain('<h1>This address is for MCP clients</h1>');
    },
  );

  test.each<[string, RequestInit]>([
    ['asks for a stream', { headers: { Accept: 'text/event-stream' } }],
    ['asks for both types of MCP', { headers: { Accept: 'application/json, text/event-stream' } }],
    ['asks for HTML and a stream', { headers: { Accept: 'text/html, text/event-stream' } }],
    ['asks for anything', { headers: { Accept: '*/*' } }],
    ['asks for HTML last', { headers: { Accept: 'text/html;q=0, */*' } }],
    ['has credentials', { headers: { ...BROWSER, Authorization: 'Bearer utg_at_unknown' } }],
    ['is sent by a page', { headers: { ...BROWSER, Origin: 'http://127.0.0.1:1' } }],
    ['posts', { method: 'POST', headers: { ...BROWSER, 'Content-Type': 'application/json' }, body: '{}' }],
  ])('shows no page for a request that %s', async (_title, init) => {
    const answer = await open(gateway.url, init);
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect([401, 403]).toContain(answer.status);
  });

  test('refuses a token in the query of a browser too', async () => {
    const answer = await open(`${gateway.url}?access_token=x`);
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([400, 'application/json; charset=utf-8']);
  });

  test('answers HEAD of a browser without a body', async () => {
    const answer = await open(gateway.url, { method: 'HEAD', headers: BROWSER });
    expect([answer.status, answer.text]).toEqual([401, '']);
  });
});

describe('a path without a route', () => {
  test('is a page for a browser', async () => {
    const page = await open('/nowhere');
    expect([page.status, page.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.text).toContain('<h1>Page not found</h1>');
    expect(page.text).toContain('<a href="/">Go to the start page</a>');
    expect(page.text).not.toContain('nowhere');
  });

  test('is JSON for a program', async () => {
    const answer = await open('/nowhere', { headers: { Accept: '*/*' } });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      404,
      { error: 'not_found', error_description: 'Not Found: GET /nowhere' },
    ]);
  });

  test('tells a browser that it is for programs, if it allows only other methods', async () => {
    const page = await open('/api/mcp/oauth/token');
    expect([page.status, page.headers.get('Allow')]).toEqual([405, 'OPTIONS, POST']);
    expect(page.text).toContain('<h1>This address is for programs</h1>');
  });
});
