import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addPartner } from '../../../../server/identity/partners/manage.ts';
import { loadConfig } from '../../../../server/index.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { pngOf } from '../../../support/images.ts';
import { connectClient } from '../../../support/mcp-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'card-'));
const icon = join(folder, 'icon.png');
writeFileSync(icon, pngOf(2, 2));
afterAll(() => rmSync(folder, { recursive: true }));

const connectors = [fakeConnector({ title: 'SECRET-SERVICE', tools: [fakeTool({ name: 'library_find' })] })];
const CARD = '/api/mcp/unified/server-card';
const CATALOG = '/.well-known/ai-catalog.json';
const SERVER_JSON = '/api/mcp/unified/server.json';

const start = (env: Readonly<Record<string, string>>) => startGateway({ connectors, secretOf: () => '', env });

function validatorOf(name: string) {
  const schema = JSON.parse(readFileSync(new URL(`./schemas/${name}.schema.json`, import.meta.url), 'utf8'));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  return ajv.compile(schema);
}

describe('a gateway with a name for catalogs', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await start({ SERVER_CARD_NAME: 'com.example.eu/tools', SERVER_ICON: icon });
  });
  afterAll(() => gateway.close());

  const read = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(gateway.listensAt + path, { headers });
    expect(answer.status).toBe(200);
    return { headers: answer.headers, text: await answer.text() };
  };
  const readJson = async (path: string) => JSON.parse((await read(path)).text);

  test.each([
    [CARD, 'server-card'],
    [SERVER_JSON, 'server'],
  ])('serves %s by its published schema', async (path, schema) => {
    const validate = validatorOf(schema);
    const document = await readJson(path);
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    expect(document).toMatchObject({ name: 'com.example.eu/tools', icons: [{ mimeType: 'image/png' }] });
    expect(validate({ ...document, name: 'tools' })).toBe(false);
    expect(validate({ ...document, remotes: [{ type: 'stdio' }] })).toBe(false);
  });

  test('says in its card what a client then sees (SEP-2127, Consistency with Runtime Behavior)', async () => {
    const card = await readJson(CARD);
    const [remote] = card.remotes;
    for (const mode of ['legacy', '2026-07-28'] as const) {
      const client = await connectClient({ url: remote.url, token: gateway.token, mode });
      const { title, version, icons } = client.getServerVersion() ?? {};
      expect({ title, version, icons }).toEqual({ title: card.title, version: card.version, icons: card.icons });
      expect(remote.supportedProtocolVersions).toContain(client.getNegotiatedProtocolVersion());
      await client.close();
    }
  });

  test('names its card in a catalog, by the domain that the name reverses (AI Catalog 0.9)', async () => {
    const url = gateway.listensAt + CARD;
    const type = 'application/mcp-server-card+json';
    expect(await readJson(CATALOG)).toEqual({
      specVersion: '0.9',
      entries: [{ identifier: 'urn:air:eu.example.com:tools', type, url }],
    });
    const card = await fetch(url, { headers: { Accept: type } });
    expect(card.headers.get('content-type')).toMatch(/^application\/mcp-server-card\+json/);
  });

  test.each([
    [CARD, 'application/mcp-server-card+json'],
    [CATALOG, 'application/ai-catalog+json'],
    [SERVER_JSON, 'application/json'],
  ])('lets pages of any origin and caches read %s, whatever they accept', async (path, type) => {
    for (const accept of [type, '*/*', 'text/html']) {
      const { headers } = await read(path, { Origin: 'https://elsewhere.example', Accept: accept });
      expect(headers.get('content-type')?.split(';')[0]).toBe(type);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('cache-control')).toBe('public, max-age=3600');
    }
    const preflight = { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'GET' };
    const allowed = await fetch(gateway.listensAt + path, { method: 'OPTIONS', headers: preflight });
    expect([allowed.status, allowed.headers.get('access-control-allow-methods')]).toEqual([204, 'GET']);
  });

  test('says nothing of services, partners or users', async () => {
    const db = gateway.store.db;
    await db
      .transaction()
      .execute((transaction) =>
        addPartner(transaction, { name: 'SECRET-PARTNER', clientId: 'secret-partner' }, { now: Date.now() }),
      );
    const answers = await Promise.all([CARD, CATALOG, SERVER_JSON].map((path) => read(path)));
    const shown = answers.map(({ text }) => text).join('');
    expect(shown).toContain('com.example.eu/tools');
    for (const secret of ['SECRET', 'secret', 'library', 'ada']) expect(shown).not.toContain(secret);
  });

  test('keeps the MCP endpoint and other paths below it as they were', async () => {
    expect((await fetch(gateway.url, { method: 'POST' })).status).toBe(401);
    expect((await fetch(`${gateway.url}/other`)).status).toBe(404);
    expect((await fetch(`${gateway.listensAt}/.well-known/mcp/catalog.json`)).status).toBe(404);
  });
});

test('a gateway without such a name has none of the documents', async () => {
  const gateway = await start({});
  for (const path of [CARD, CATALOG, SERVER_JSON]) {
    expect((await fetch(gateway.listensAt + path)).status).toBe(404);
  }
  await gateway.close();
});

test('the public address is in the documents, not the one that the gateway listens at', async () => {
  const env = { SERVER_CARD_NAME: 'com.example/tools', PUBLIC_URL: 'https://tools.example.com', TRUST_PROXY: 'none' };
  const gateway = await start(env);
  const { request } = await import('node:http');
  for (const path of [CARD, CATALOG, SERVER_JSON]) {
    const text = await new Promise<string>((done) => {
      const headers = { Host: 'tools.example.com' };
      request(gateway.listensAt + path, { headers }, async (answer) => {
        done((await answer.toArray()).join(''));
      }).end();
    });
    expect(text).toContain('https://tools.example.com/api/mcp/unified');
    expect(text).not.toContain('127.0.0.1');
  }
  await gateway.close();
});

test.each(['tools', 'com.example/', 'com.example/a/b', 'https://example.com/tools', `a/${'b'.repeat(200)}`])(
  'a name such as %s is refused at the start',
  (SERVER_CARD_NAME) => {
    const env = { PUBLIC_URL: 'http://127.0.0.1:3000', SERVER_CARD_NAME };
    expect(() => loadConfig({ connectors, env })).toThrow('SERVER_CARD_NAME must be a domain of yours');
  },
);
