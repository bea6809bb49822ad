import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLIENTS } from '../../../server/landing/clients.ts';
import { fakeConnector, fakeTool } from '../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';

describe('the landing page', () => {
  let gateway: RunningGateway;
  let text: string;
  let headers: Headers;
  beforeAll(async () => {
    const connectors = [
      fakeConnector({ title: 'Library <i>of</i> Babel', tools: [fakeTool({ name: 'library_find' })] }),
    ];
    gateway = await startGateway({ connectors, secretOf: () => '' });
    const response = await fetch(new URL('/', gateway.url));
    [text, headers] = [await response.text(), response.headers];
    expect(response.status).toBe(200);
  });
  afterAll(() => gateway.close());

  test('names the endpoint, the services and how many tools they have', () => {
    expect(text).toContain(`<pre>${gateway.url}</pre>`);
    expect(text).toContain('Library &lt;i&gt;of&lt;/i&gt; Babel, 1 tools');
  });

  test.each(CLIENTS.map(({ name, tried }) => [name, tried]))('has instructions for %s: %s', (name, tried) => {
    expect(text).toContain(`<h3>${name}</h3>`);
    expect(text).toContain(tried.replaceAll("'", '&#39;'));
    expect(tried).toMatch(/^(Tried with |Not tried yet: )/);
  });

  test('shows the configuration of a client with a token as MCP clients take it', () => {
    const blocks = [...text.matchAll(/<pre>([^<]*)<\/pre>/g)].map(([, block]) => block!.replaceAll('&quot;', '"'));
    const configuration = blocks.find((block) => block.includes('Authorization') && block.startsWith('{'))!;
    expect(JSON.parse(configuration.replaceAll('&lt;', '<').replaceAll('&gt;', '>'))).toEqual({
      mcpServers: {
        'unified-tools': { type: 'http', url: gateway.url, headers: { Authorization: 'Bearer <ACCESS_TOKEN>' } },
      },
    });
  });

  test('runs nothing and loads nothing', () => {
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/,
    );
    expect(text).not.toMatch(/<script|src=|https:\/\/(?!.*connect)[^"<]*\.(js|css|png)/);
  });
});
