import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { resolve } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';

const connectors = [fakeConnector({ tools: [fakeTool({ name: 'library_find' })] })];
const DEPENDENCIES = resolve(import.meta.dirname, '../../../../docs/explanations/dependencies.md');

async function fetchRaw(url: string, encoding: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{ headers: Record<string, unknown>; body: Buffer }>();
  request(url, { headers: { 'accept-encoding': encoding } }, async (response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    resolve({ headers: response.headers, body: Buffer.concat(chunks) });
  })
    .on('error', reject)
    .end();
  return promise;
}

describe('the page of the HTTP API', () => {
  let gateway: RunningGateway;
  let page: Response;
  let text: string;
  let viewer: string;
  beforeAll(async () => {
    gateway = await startGateway({ connectors, secretOf: () => '' });
    page = await fetch(`${gateway.listensAt}/docs/api`);
    text = await page.text();
    viewer = /src="(\/docs\/api\/viewer-[0-9a-f]{16}\.js)"/.exec(text)?.[1] ?? '';
  });
  afterAll(() => gateway.close());

  test('has a policy of its own, which allows nothing from or to another origin', () => {
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('cache-control')).toBe('public, max-age=300');
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self' 'sha256-[^']+'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'$/,
    );
  });

  test('names no other host', () => {
    expect(text).not.toMatch(/\/\/[\w.-]+/);
    expect(text).toContain("url: '/api/openapi.yaml'");
  });

  test('has a script that browsers keep for good, in the encoding that they read', async () => {
    const url = gateway.listensAt + viewer;
    const [br, gzip, identity] = [
      await fetchRaw(url, 'br, gzip'),
      await fetchRaw(url, 'gzip'),
      await fetchRaw(url, 'identity'),
    ];
    expect([br, gzip, identity].map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', undefined]);
    for (const { headers } of [br, gzip, identity]) {
      expect(headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
        'x-content-type-options': 'nosniff',
      });
    }
    expect(brotliDecompressSync(br.body).equals(identity.body)).toBe(true);
    expect(gunzipSync(gzip.body).equals(identity.body)).toBe(true);
  });

  test('has the script whose digest the page about dependencies names', async () => {
    const script = await (await fetch(gateway.listensAt + viewer)).text();
    const digest = createHash('sha256').update(script, 'utf8').digest('hex');
    expect(await readFile(DEPENDENCIES, 'utf8')).toContain(digest);
  });

  test.each(['/docs/api/viewer-0000000000000000.js', '/docs/api/viewer/scalar.js.br', '/docs/api/viewer-.js'])(
    'answers 404 for %s',
    async (path) => {
      expect((await fetch(gateway.listensAt + path)).status).toBe(404);
    },
  );

  test('is linked from the landing page', async () => {
    expect(await (await fetch(gateway.listensAt)).text()).toContain('<a href="/docs/api">');
  });

  test('allows one address 120 requests a minute', async () => {
    const stopped = Date.now();
    const other = await startGateway({ connectors, secretOf: () => '', now: () => stopped });
    const statuses: number[] = [];
    for (let sent = 0; sent <= 120; sent += 1) statuses.push((await fetch(`${other.listensAt}/docs/api`)).status);
    await other.close();
    expect([[...new Set(statuses.slice(0, 120))], statuses[120]]).toEqual([[200], 429]);
  });

  test('is not there with API_EXPLORER=off', async () => {
    const off = await startGateway({ connectors, secretOf: () => '', env: { API_EXPLORER: 'off' } });
    const statuses = [];
    for (const path of ['/docs/api', viewer, '/api/openapi.yaml']) {
      statuses.push((await fetch(off.listensAt + path)).status);
    }
    const landing = await (await fetch(off.listensAt)).text();
    await off.close();
    expect(statuses).toEqual([404, 404, 200]);
    expect(landing).not.toContain('/docs/api');
  });
});
