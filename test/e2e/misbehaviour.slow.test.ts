import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from '../../sandbox/index.ts';
import type { Misbehaviour } from '../../sandbox/misbehaviour.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';

const connectors = await loadConnectors();

const TIMEOUT_MS = 1500;
const READ = { name: 'retrieval_list_partitions', arguments: { pageSize: 1 } };
const WRITE = { name: 'retrieval_create_partition', arguments: { name: 'notes' } };

let sandbox: OpenSandbox;
let gateway: RunningGateway;
let client: Client;
let elsewhere: Server;
let askedElsewhere = 0;
let elsewhereUrl: string;

beforeAll(async () => {
  elsewhere = createServer((_, response) => {
    askedElsewhere += 1;
    response.end('{}');
  });
  await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done));
  elsewhereUrl = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
  sandbox = await openSandbox({ root: resolve(import.meta.dirname, '../..') });
  gateway = await startGateway({
    connectors,
    env: Object.assign({ UPSTREAM_TIMEOUT_MS: String(TIMEOUT_MS) }, ...Object.values(sandbox.environment)),
    secretOf: () => 'sandbox-key',
  });
  client = await connectClient(gateway);
  await client.listTools();
  // The first call loads code and opens a connection.
  await call(READ);
});
afterEach(() => {
  sandbox.behave();
  sandbox.clearRequests();
});
afterAll(async () => {
  await client?.close();
  await gateway?.close();
  await sandbox?.close();
  elsewhere?.close();
});

interface Outcome {
  readonly error: { code: string; status: number | null; retryable: boolean; retryAfterSeconds: number | null } | null;
  readonly text: string;
  readonly requests: number;
}

async function call(tool: { name: string; arguments: Record<string, unknown> }): Promise<Outcome> {
  const before = sandbox.requests().length;
  const result = await client.callTool(tool);
  const texts = result.content.map((block) => (block.type === 'text' ? block.text : ''));
  return {
    error: result.isError === true ? JSON.parse(texts.at(-1)!) : null,
    text: texts[0]!,
    requests: sandbox.requests().length - before,
  };
}

interface Want {
  readonly error: Partial<NonNullable<Outcome['error']>> | null;
  readonly text?: RegExp;
  readonly requests?: number;
}

const LOST = { code: 'upstream_connection_lost' };
const UNREADABLE = { code: 'upstream_invalid_answer', status: 200 };
const READS: [string, { plan: Misbehaviour; want: Want }][] = [
  [
    'an upstream slower than the deadline',
    { plan: { kind: 'slow' }, want: { error: { code: 'upstream_timeout' }, text: /1\.5 seconds/, requests: 1 } },
  ],
  ['an upstream slower than usual', { plan: { kind: 'slow', delayMs: 200 }, want: { error: null, requests: 1 } }],
  [
    '429 with a long Retry-After',
    {
      plan: { kind: 'rate-limited', retryAfterSeconds: 45 },
      want: { error: { status: 429, retryable: true, retryAfterSeconds: 45 }, text: /45 seconds/, requests: 1 },
    },
  ],
  ['503, then success', { plan: { kind: 'unavailable', retryAfterSeconds: 0 }, want: { error: null, requests: 2 } }],
  ['a web page', { plan: { kind: 'wrong-content-type' }, want: { error: UNREADABLE, text: /html|page/i } }],
  [
    'half a body twice',
    { plan: { kind: 'half-body', times: 2 }, want: { error: LOST, text: /broke off/, requests: 2 } },
  ],
  [
    'a body of 100 MiB',
    {
      plan: { kind: 'huge-body' },
      want: { error: { code: 'result_too_large' }, text: /too large.*pageSize/, requests: 1 },
    },
  ],
];

describe('a tool that reads', () => {
  test.each(READS)('%s', async (_, { plan, want }) => {
    sandbox.misbehave({ ...plan, service: 'retrieval', operationId: 'listPartitions' });
    const outcome = await call(READ);
    if (want.error === null) expect(outcome.error).toBeNull();
    else expect(outcome.error).toMatchObject(want.error);
    if (want.text) expect(outcome.text).toMatch(want.text);
    if (want.requests !== undefined) expect(outcome.requests).toBe(want.requests);
    expect((await call(READ)).error).toBeNull();
  });
});

describe('a tool that writes is never sent twice', () => {
  test.each<[string, { plan: Misbehaviour; want: Want }]>([
    [
      '429',
      { plan: { kind: 'rate-limited', retryAfterSeconds: 0 }, want: { error: { status: 429, retryable: true } } },
    ],
    ['503', { plan: { kind: 'unavailable', retryAfterSeconds: 0 }, want: { error: { status: 503 } } }],
    [
      '500',
      {
        plan: { kind: 'server-error' },
        want: { error: { status: 500, retryable: false }, text: /may have taken effect/ },
      },
    ],
    ['slow', { plan: { kind: 'slow' }, want: { error: { code: 'upstream_timeout' }, text: /may have taken effect/ } }],
    ['dropped', { plan: { kind: 'dropped-connection' }, want: { error: LOST, text: /may have taken effect/ } }],
    ['half a body', { plan: { kind: 'half-body' }, want: { error: LOST, text: /may have taken effect/ } }],
    ['broken JSON', { plan: { kind: 'broken-json' }, want: { error: UNREADABLE, text: /took effect/ } }],
    ['100 MiB', { plan: { kind: 'huge-body' }, want: { error: { code: 'result_too_large' }, text: /took effect/ } }],
  ])('%s', async (_, { plan, want }) => {
    sandbox.misbehave({ ...plan, service: 'retrieval', operationId: 'createPartition' });
    const outcome = await call(WRITE);
    expect(outcome.error).toMatchObject(want.error!);
    if (want.text) expect(outcome.text).toMatch(want.text);
    expect(outcome.requests).toBe(1);
    expect((await call(WRITE)).error).toBeNull();
  });
});

describe('a redirect to another host', () => {
  test.each([READ, WRITE])('is not followed by $name', async (tool) => {
    sandbox.misbehave({ kind: 'redirect', location: elsewhereUrl });
    const outcome = await call(tool);
    expect(outcome.error).toMatchObject({ code: 'upstream_redirect', status: 302 });
    expect(outcome.text).not.toContain(elsewhereUrl);
    expect(askedElsewhere).toBe(0);
    expect((await call(tool)).error).toBeNull();
  });
});

describe('limits', () => {
  test('bodies of 1 GiB are dropped shortly after the limit and use no memory', async () => {
    const before = process.memoryUsage.rss();
    sandbox.misbehave({ kind: 'huge-body', bytes: 1024 ** 3, times: 8 });
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => call(READ)));
    expect(outcomes.map(({ error }) => error?.code)).toEqual(Array(8).fill('result_too_large'));
    const sent = sandbox.requests().map(({ answerBytes }) => answerBytes);
    expect(Math.max(...sent)).toBeLessThan(32 * 1024 ** 2);
    expect(process.memoryUsage.rss() - before).toBeLessThan(256 * 1024 ** 2);
    expect((await call(READ)).error).toBeNull();
  });

  test('one user’s slow service does not delay other users', async () => {
    sandbox.misbehave({ kind: 'slow', service: 'retrieval' });
    const slow = call(READ);
    const fast = call({ name: 'crm_get_current_user', arguments: {} });
    expect(await Promise.race([slow.then(() => 'slow'), fast.then(() => 'fast')])).toBe('fast');
    expect((await fast).error).toBeNull();
    expect((await slow).error).toMatchObject({ code: 'upstream_timeout' });
  });
});
