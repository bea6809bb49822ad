import { afterEach, expect, test } from 'vitest';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';

let gateway: RunningGateway;
afterEach(() => gateway.close());

const library = {
  ...fakeConnector({ tools: [fakeTool({ name: 'library_list' })] }),
  title: 'Library [of](https://evil.example)\n# Babel',
  description: 'Books.',
};

async function read(env: Readonly<Record<string, string>> = {}, headers: Readonly<Record<string, string>> = {}) {
  gateway = await startGateway({ connectors: [library], secretOf: () => '', env });
  const { origin } = new URL(gateway.url);
  const response = await fetch(`${origin}/llms.txt`, { headers });
  return { origin, response, text: await response.text() };
}

const linksOf = (text: string) => [...text.matchAll(/^- \[.+\]\((\S+)\)/gm)].map(([, url]) => url ?? '');

test('says what the gateway is, in Markdown that everyone may keep for a while', async () => {
  const { response, text } = await read();
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(response.headers.get('cache-control')).toBe('public, max-age=300');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(text).toMatch(/^# Unified Tool Gateway\n\n> An MCP server: the tools of 1 service at one address/);
  expect(text).toContain(`- MCP endpoint: ${gateway.url} (Streamable HTTP)`);
  expect(text.match(/^#+ .+$/gm)).toEqual([
    '# Unified Tool Gateway',
    '## Discovery',
    '## Documentation',
    '## Services',
  ]);
});

test('links only to what answers', async () => {
  const { origin, text } = await read();
  const links = linksOf(text);
  expect(links.map((link) => link.replace(origin, ''))).toEqual([
    '/.well-known/oauth-protected-resource/api/mcp/unified',
    '/.well-known/oauth-authorization-server',
    '/',
    '/api/openapi.yaml',
    '/tools',
    '/tools/library',
  ]);
  expect(await Promise.all(links.map(async (link) => (await fetch(link)).status))).toEqual(links.map(() => 200));
});

test('shows the texts of a connector as text', async () => {
  const { origin, text } = await read();
  expect(text).toContain(
    `- [Library \\[of\\](https://evil.example) \\# Babel](${origin}/tools/library): 1 read-only tool. Books.\n`,
  );
});

test('names no page about tools where there is none', async () => {
  const { text } = await read({ TOOL_PAGES: 'off' });
  expect(text).not.toContain('/tools');
  expect(text).toMatch(/^- Library .+: 1 read-only tool\. Books\.$/m);
});

test('is not sent again to those who have it', async () => {
  const { origin, response } = await read();
  const again = await fetch(`${origin}/llms.txt`, { headers: { 'If-None-Match': response.headers.get('etag') ?? '' } });
  expect([again.status, await again.text()]).toEqual([304, '']);
});
