import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseCoding, createListPieces } from '../../../../server/call/mcp/list-bytes.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import { loadConnectors } from '../../../../server/call/tools/catalogue/connectors.ts';
import { accessTo } from '../../../support/access.ts';
import { findProgram } from '../../../support/fuller-checks.ts';
import { numRuns } from '../../../support/num-runs.ts';
import { legacyRequest, modernRequest, provideTools, type RunningEndpoint, startEndpoint } from './support.ts';

let endpoint: RunningEndpoint;
let tools: unknown;
beforeAll(async () => {
  const connectors = await loadConnectors();
  const catalogue = createCatalogue(connectors);
  const services = connectors.map(({ name }) => name);
  const list = catalogue.list(accessTo(services));
  tools = JSON.parse(Buffer.from(list.json).toString('utf8'));
  endpoint = await startEndpoint({ tools: { ...provideTools({}), list: () => list } });
});
afterAll(() => endpoint.close());

interface Reply {
  readonly headers: Record<string, string | string[] | undefined>;
  readonly bytes: Buffer;
}

function ask({ headers, body }: RequestInit, acceptEncoding: string | null): Promise<Reply> {
  const all = { ...(headers as object), ...(acceptEncoding === null ? {} : { 'accept-encoding': acceptEncoding }) };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(endpoint.url, { method: 'POST', headers: all }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ headers: response.headers, bytes: Buffer.concat(chunks) });
    });
    outgoing.on('error', reject).end(body);
  });
}

async function untilCoded(init: RequestInit, acceptEncoding: string): Promise<Reply> {
  for (;;) {
    const reply = await ask(init, acceptEncoding);
    if (reply.headers['content-encoding'] !== undefined) return reply;
  }
}

const ERAS = [
  ['2025', legacyRequest],
  ['2026', modernRequest],
] as const;
const IDS = [1, -7, 'a', '"tools":[]', '\\"', 'ünïcödé', 'x'.repeat(60_000)];

describe('a list of tools', () => {
  for (const [era, request] of ERAS) {
    it(`is the same bytes in every coding (${era})`, async () => {
      for (const id of IDS) {
        const init = request({ method: 'tools/list', id });
        const plain = await ask(init, null);
        expect(plain.headers['content-encoding']).toBeUndefined();
        expect(JSON.parse(plain.bytes.toString('utf8'))).toMatchObject({ jsonrpc: '2.0', id, result: { tools } });
        for (const [coding, decode] of [
          ['br', brotliDecompressSync],
          ['gzip', gunzipSync],
        ] as const) {
          const { headers, bytes } = await untilCoded(init, coding);
          expect(headers).toMatchObject({
            'content-encoding': coding,
            'content-length': String(bytes.byteLength),
            vary: expect.stringMatching(/Accept-Encoding/),
          });
          expect(decode(bytes).equals(plain.bytes)).toBe(true);
          if (String(id).length < 100) expect(bytes.byteLength).toBeLessThan(plain.bytes.byteLength / 4);
        }
      }
    });
  }

  it('has Vary: Accept-Encoding even if it is not compressed', async () => {
    expect((await ask(legacyRequest({ method: 'tools/list' }), null)).headers.vary).toMatch(/Accept-Encoding/);
  });

  it('is read by fetch', async () => {
    const init = legacyRequest({ method: 'tools/list' });
    for (const coding of ['br', 'gzip']) {
      await untilCoded(init, coding);
      const headers = { ...(init.headers as object), 'accept-encoding': coding };
      const answer = await fetch(endpoint.url, { ...init, headers });
      expect(answer.headers.get('content-encoding')).toBe(coding);
      expect(await answer.json()).toMatchObject({ id: 1, result: { tools } });
    }
  });

  it.skipIf(findProgram('gzip') === null)('is read by gzip', async () => {
    const { bytes } = await untilCoded(legacyRequest({ method: 'tools/list' }), 'gzip');
    const folder = await mkdtemp(join(tmpdir(), 'list-'));
    await writeFile(join(folder, 'list.gz'), bytes);
    const { stdout } = await promisify(execFile)('gzip', ['-dc', join(folder, 'list.gz')], { maxBuffer: 2 ** 24 });
    await rm(folder, { recursive: true });
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { tools } });
  });
});

describe('createListPieces', () => {
  it('joins any list and any ending', async () => {
    const toPieces = createListPieces();
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1000, maxLength: 5000 }),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
        async (text, tail) => {
          const list = { json: Buffer.from(text, 'utf8') };
          const whole = `{"result":{"tools":${text}${tail}`;
          for (const [coding, decode] of [
            ['br', brotliDecompressSync],
            ['gzip', gunzipSync],
          ] as const) {
            let made = toPieces(list, coding, tail);
            while (made.coding === null && list.json.byteLength >= 1024) {
              expect(Buffer.concat(made.pieces).toString('utf8')).toBe(whole);
              await new Promise((resolve) => setTimeout(resolve, 1));
              made = toPieces(list, coding, tail);
            }
            if (made.coding === coding) expect(decode(Buffer.concat(made.pieces)).toString('utf8')).toBe(whole);
          }
        },
      ),
      { numRuns: numRuns(40) },
    );
  });
});

describe('chooseCoding', () => {
  it.each([
    [undefined, null],
    ['', null],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0.5, gzip;q=0.5', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', null],
    ['*', 'br'],
    ['*;q=0', null],
    ['br;q=0, *', 'gzip'],
    ['identity', null],
    ['identity;q=0.5, gzip;q=0.4', null],
    ['identity;q=0, gzip', 'gzip'],
    ['deflate, zstd', null],
    ['gzip;q=2', null],
    ['gzip;q=x', null],
    [' gzip ; q=0.1 ', 'gzip'],
    [`${'x,'.repeat(600)}gzip`, null],
  ])('answers %s with %s', (header, want) => {
    expect(chooseCoding(header)).toBe(want);
  });
});
