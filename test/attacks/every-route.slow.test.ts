import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type OAuthGateway, startOAuthGateway } from '../support/oauth-gateway.ts';
import { sendRaw } from '../support/raw-request.ts';
import { type Fuzzed, fuzzedRequest } from './fuzzed-request.ts';

const SEED = Number(process.env.FUZZ_SEED ?? '2026');
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? '1000');
const AT_ONCE = 16;
const NOT_IMPLEMENTED = 501;
const MAX_HEAP_GROWTH = 24e6;

const document = parse(
  await readFile(resolve(import.meta.dirname, '../../docs/reference/gateway-openapi.yaml'), 'utf8'),
);

let gateway: OAuthGateway;
beforeAll(async () => {
  gateway = await startOAuthGateway({ ADMIN_SECRET: 'fuzz-secret-of-an-operator-0123456789' });
});
afterAll(() => gateway?.close());

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heap(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

async function sendAll(requests: readonly Fuzzed[], statuses: Map<number, number>): Promise<string[]> {
  const faults: string[] = [];
  const { hostname, port } = new URL(gateway.issuer);
  let next = 0;
  const worker = async () => {
    for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
      const localAddress = `127.0.${10 + (next % 40)}.${1 + (next % 200)}`;
      const status = await sendRaw({ host: hostname, port: Number(port), localAddress, text: request.text });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 500 && status !== NOT_IMPLEMENTED) faults.push(`${status}: ${request.text.slice(0, 1500)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return faults;
}

test(`${REQUESTS} drawn requests, valid and malformed, cause no fault and leak no memory (FUZZ_SEED=${SEED})`, async () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', note);
  const secrets = [gateway.token, gateway.partnerSecret, await gateway.connectionCode(), 'test'];
  const request = fuzzedRequest({ document, host: new URL(gateway.issuer).host, secrets });
  const statuses = new Map<number, number>();
  const rounds = 10;
  const heaps: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const requests = fc.sample(request, { numRuns: Math.ceil(REQUESTS / rounds), seed: SEED + round });
    expect(await sendAll(requests, statuses)).toEqual([]);
    heaps.push(heap());
  }
  process.off('unhandledRejection', note);
  process.stderr.write(
    `fuzz: ${JSON.stringify(Object.fromEntries(statuses))}, heap ${heaps.map((bytes) => (bytes / 1e6).toFixed(0))} MB\n`,
  );
  expect(rejections).toEqual([]);
  expect(statuses.get(200) ?? 0).toBeGreaterThan(0);
  expect(heaps.at(-1)! - heaps[2]!).toBeLessThan(MAX_HEAP_GROWTH);
}, 1_800_000);
