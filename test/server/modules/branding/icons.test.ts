import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../../../server/index.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { pngOf } from '../../../support/images.ts';
import { connectClient } from '../../../support/mcp-client.ts';

const image = pngOf(2, 2);
const logo = { type: 'image/png', hash: 'a'.repeat(32), base64: image.toString('base64') } as const;
const find = fakeTool({ name: 'library_find' });
const lend = fakeTool({ name: 'library_lend', method: 'POST' });
const CONNECTORS = [
  { ...fakeConnector({ tools: [find, lend] }), logo },
  fakeConnector({ name: 'archive', tools: [fakeTool({ name: 'archive_read' })] }),
  {
    ...fakeConnector({ name: 'museum', tools: [fakeTool({ name: 'museum_visit' })] }),
    logo: { ...logo, type: 'image/gif' as const },
  },
];

const folder = mkdtempSync(join(tmpdir(), 'icons-'));
const file = join(folder, 'icon.png');
writeFileSync(file, image);
afterAll(() => rmSync(folder, { recursive: true }));

async function start(env: Readonly<Record<string, string>>): Promise<RunningGateway> {
  return startGateway({ connectors: CONNECTORS, secretOf: () => '', env });
}

const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };

async function ask(gateway: RunningGateway, method: string, meta: object = {}) {
  const answer = await fetch(gateway.url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${gateway.token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { _meta: { ...META, 'io.modelcontextprotocol/clientCapabilities': {}, ...meta } },
    }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the tests inspect raw answers
  return (await answer.json()) as any;
}

describe('icons (MCP 2026-07-28, Icon)', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await start({ SERVER_ICON: file, TOOL_ICONS: 'on' });
  });
  afterAll(() => gateway.close());

  const read = async (src: string) => {
    expect(new URL(src).origin).toBe(gateway.listensAt);
    return fetch(src);
  };

  test.each(['legacy', '2026-07-28'] as const)(
    'of the server and of tools reach the official client (%s)',
    async (mode) => {
      const client = await connectClient({ ...gateway, mode });
      const [server, ...others] = client.getServerVersion()?.icons ?? [];
      expect([server?.mimeType, others]).toEqual(['image/png', []]);
      const { tools } = await client.listTools();
      const icons = Object.fromEntries(tools.map(({ name, icons }) => [name, icons]));
      const src = `${gateway.listensAt}/services/library/logo/${logo.hash}`;
      const ofLibrary = [{ src, mimeType: 'image/png' }];
      expect(icons).toEqual({
        archive_read: undefined,
        library_find: ofLibrary,
        library_lend: ofLibrary,
        museum_visit: undefined,
      });
      for (const address of [server?.src ?? '', src]) {
        const answer = await read(address);
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
        expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
        expect(Buffer.from(await answer.arrayBuffer()).equals(image)).toBe(true);
      }
      await client.close();
    },
  );

  test('reach a client of the first SDK', async () => {
    const client = new OldClient({ name: 'old', version: '1.0.0' });
    const headers = { Authorization: `Bearer ${gateway.token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { requestInit: { headers } }));
    expect(client.getServerVersion()?.icons).toEqual([{ src: expect.any(String), mimeType: 'image/png' }]);
    await client.close();
  });

  test('of the server are in its introduction only, whichever path answers', async () => {
    const serverInfo = 'io.modelcontextprotocol/serverInfo';
    const unrecognised = { 'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1', more: true } };
    for (const meta of [{}, unrecognised]) {
      const discovered = await ask(gateway, 'server/discover', meta);
      expect(discovered.result._meta[serverInfo].icons).toHaveLength(1);
      const listed = await ask(gateway, 'tools/list', meta);
      expect(listed.result._meta[serverInfo].icons).toBeUndefined();
    }
  });

  test('have no other address', async () => {
    for (const path of [`/brand/${'0'.repeat(32)}`, '/brand/icon.png', '/brand/..%2ficon.png']) {
      expect((await read(gateway.listensAt + path)).status).toBe(404);
    }
  });

  test('are nowhere unless the operator asks for them', async () => {
    const plain = await start({});
    for (const method of ['server/discover', 'tools/list']) {
      expect(JSON.stringify(await ask(plain, method))).not.toContain('icons');
    }
    expect((await fetch(`${plain.listensAt}/brand/${'0'.repeat(32)}`)).status).toBe(404);
    await plain.close();
  });

  test.each([
    ['no file', () => join(folder, 'none.png'), 'The file cannot be read.'],
    [
      'an SVG file, which may contain scripts',
      () => {
        writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
        return join(folder, 'icon.svg');
      },
      'is not a PNG, JPEG or WebP image',
    ],
  ])('cannot be %s', (_title, path, problem) => {
    const env = { PUBLIC_URL: 'http://127.0.0.1:3000', SERVER_ICON: path() };
    expect(() => loadConfig({ connectors: CONNECTORS, env })).toThrow(ConfigError);
    expect(() => loadConfig({ connectors: CONNECTORS, env })).toThrow(`SERVER_ICON must name an image.`);
    expect(() => loadConfig({ connectors: CONNECTORS, env })).toThrow(problem);
  });
});
