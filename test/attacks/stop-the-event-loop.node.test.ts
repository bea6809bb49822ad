import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { FULL_PERMISSION, writePermission } from '../../server/base/principal/permission.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { describeUserPage } from '../server/modules/me/support.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { startGateway } from '../support/gateway.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const ITEMS = 100_000;
const FEW_ITEMS = 20_000;
const LONGEST_BLOCK_MS = 1000;
const pageOf = (count: number): string =>
  JSON.stringify({
    data: Array.from({ length: count }, (_, id) => ({ id, n: (id * 7919) % count, name: `i${id}` })),
    next: null,
  });
const LARGE_PAGE = pageOf(ITEMS);
const FEWER_ITEMS = pageOf(FEW_ITEMS);
const FIRST_PAGE = JSON.stringify({ data: [{ id: -1, n: -1, name: 'first' }], next: 'large' });

const LIST = fakeTool({
  name: 'library_list',
  path: '/list',
  input: {
    properties: {
      cursor: { type: 'string' },
      numbers: { type: 'array', items: { type: 'integer' } },
      where: { type: 'object' },
      fields: { type: 'array', items: { type: 'string' } },
      sort: { type: 'string' },
      aggregate: { type: 'object' },
      maxItems: { type: 'integer', minimum: 1, maximum: 1000 },
      resume: { type: 'string' },
    },
  },
  output: {
    properties: {
      data: { items: { properties: { id: {}, n: {}, name: {} } } },
      next: {},
      page: { properties: { nextArguments: { additionalProperties: {} } } },
    },
  },
  more: {
    request: { query: { cursor: 'cursor' } },
    gatewayArguments: ['where', 'fields', 'sort', 'aggregate', 'maxItems', 'resume'],
    page: { argument: 'cursor', next: '/next', queryParameter: null, more: null, items: '/data' },
  },
});
const FIND = fakeTool({
  name: 'library_find',
  path: '/list',
  input: { properties: { key: { type: 'string' } }, required: ['key'], additionalProperties: false },
  output: { properties: { data: {} } },
  more: {
    request: { query: { cursor: 'cursor' } },
    gatewayArguments: ['key'],
    find: { list: 'library_list', by: [['name']] },
  },
});
const LIST_FEWER = { ...LIST, name: 'library_list_fewer', operation: { ...LIST.operation, path: '/fewer' } };
const FIND_AMONG_FEWER = {
  ...FIND,
  name: 'library_find_among_fewer',
  find: { list: LIST_FEWER.name, by: [['name']] },
};
const CONNECTORS = [fakeConnector({ tools: [FIND, FIND_AMONG_FEWER, LIST, LIST_FEWER] })];

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: {
    readonly data?: readonly { readonly id: number; readonly n: number }[];
    readonly aggregate?: object;
    readonly page?: { readonly nextArguments: Readonly<Record<string, unknown>> };
  };
}

async function callTool(url: string, token: string, name: string, args: object): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  const { result } = (await response.json()) as { readonly result: Answer };
  return result;
}

const textOf = ({ content }: Answer): string => content.map(({ text }) => text).join('\n');

async function longestBlockOf(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  await work();
  delay.disable();
  return delay.max / 1e6;
}

const pageAt = (url: string): string => (url.startsWith('/fewer') ? FEWER_ITEMS : LARGE_PAGE);

let upstream: Server;
let requests = 0;
let origin: string;
beforeAll(async () => {
  upstream = createServer(({ url = '' }, response) => {
    requests += 1;
    const page = url.includes('cursor=first') ? FIRST_PAGE : pageAt(url);
    response.setHeader('content-type', 'application/json').end(page);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
});
afterAll(() => upstream.close());

describe('a page of 100,000 items', () => {
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  beforeAll(async () => {
    gateway = await startGateway({
      connectors: CONNECTORS,
      env: { LIBRARY_BASE_URL: origin, WORK_SECONDS_PER_MINUTE: '600' },
      secretOf: () => 'secret-of-library',
    });
    await callTool(gateway.url, gateway.token, 'library_list', {});
  });
  afterAll(() => gateway.close());
  const call = (name: string, args: object) => callTool(gateway.url, gateway.token, name, args);
  const idsOf = ({ structuredContent }: Answer) => structuredContent?.data?.map(({ id }) => id);

  test.each<[string, string, object, (answer: Answer) => void]>([
    [
      'sorted',
      'library_list',
      { sort: '-n', maxItems: 3 },
      (answer) => {
        expect(answer.structuredContent?.data?.map(({ n }) => n)).toEqual([ITEMS - 1, ITEMS - 2, ITEMS - 3]);
      },
    ],
    [
      'counted',
      'library_list',
      { aggregate: { sum: 'n' } },
      (answer) => {
        expect(answer.structuredContent?.aggregate).toEqual({ count: ITEMS, sum: (ITEMS * (ITEMS - 1)) / 2 });
      },
    ],
    [
      'tested',
      'library_list',
      { where: { name: { equals: 'i77' } } },
      (answer) => {
        expect(idsOf(answer)).toEqual([77]);
      },
    ],
    [
      'searched for a key',
      'library_find',
      { key: 'I99999' },
      (answer) => {
        expect(idsOf(answer)).toEqual([99_999]);
      },
    ],
    [
      'tested after a small first page',
      'library_list',
      { cursor: 'first', where: { n: { less: 1 } } },
      (answer) => {
        expect(idsOf(answer)).toEqual([-1, 0]);
      },
    ],
    [
      'shown in parts',
      'library_list',
      {},
      (answer) => {
        expect(idsOf(answer)?.slice(0, 3)).toEqual([0, 1, 2]);
        expect(textOf(answer)).toContain('This is a part of the answer');
      },
    ],
  ])('that is %s does not stop the event loop', async (_title, name, args, check) => {
    let answer: Answer | undefined;
    const block = await longestBlockOf(async () => {
      answer = await call(name, args);
    });
    if (answer !== undefined) check(answer);
    expect(answer?.isError).toBeUndefined();
    expect(block).toBeLessThan(LONGEST_BLOCK_MS);
  });

  test('continues where its first part ended', async () => {
    const first = await call('library_list', {});
    const next = first.structuredContent?.page?.nextArguments ?? {};
    const second = await call('library_list', next);
    expect(idsOf(second)?.[0]).toBe((idsOf(first)?.at(-1) ?? 0) + 1);
  });

  test('is read once for twenty keys if it has fewer items, and each search takes little time', async () => {
    requests = 0;
    await call(FIND_AMONG_FEWER.name, { key: 'i1' });
    const before = process.cpuUsage();
    for (let key = 0; key < 20; key += 1) {
      expect(textOf(await call(FIND_AMONG_FEWER.name, { key: `nobody ${key}` }))).toContain('No item is called');
    }
    const { user, system } = process.cpuUsage(before);
    expect(requests).toBe(1);
    expect((user + system) / 1e6).toBeLessThan(3);
  });
});

test('the time of large answers of one user is used up in a minute, and not that of small ones', async () => {
  let now = Date.now();
  const gateway = await startGateway({
    connectors: CONNECTORS,
    env: { LIBRARY_BASE_URL: origin, WORK_SECONDS_PER_MINUTE: '1' },
    secretOf: () => 'secret-of-library',
    now: () => now,
  });
  const call = (args: object) => callTool(gateway.url, gateway.token, 'library_list', args);
  let last = await call({ sort: 'n' });
  for (let count = 0; count < 50 && last.isError !== true; count += 1) last = await call({ sort: 'n' });
  expect(JSON.parse(last.content[1]?.text ?? '{}')).toMatchObject({
    code: 'too_many_calls',
    retryable: true,
    retryAfterSeconds: 60,
  });
  expect(textOf(last)).toContain('Wait 60 seconds, or ask for a smaller answer.');
  expect((await call({ cursor: 'first' })).isError).toBeUndefined();
  now += 61_000;
  expect((await call({ sort: 'n' })).isError).toBeUndefined();
  await gateway.close();
});

const LONG_RESULT = 'return Array.from({ length: 30000 }, (_, id) => ({ id, name: "item " + id }))';

describeUserPage(
  'a program',
  (given) => {
    const open = async () => {
      const permission = writePermission({ ...FULL_PERMISSION, catalogue: 'code' });
      const { token } = await given.allow('Claude', { permission });
      return (code: string) => callTool(given.origin + MCP_PATH, token, 'run_code', { code });
    };

    test('that reads one kept result 499 times reads 16 MiB, and takes little time of the processor', async () => {
      const run = await open();
      const kept = textOf(await run('return "x".repeat(4_000_000)'));
      const handle = /kept_[\w-]+/.exec(kept)?.[0];
      const before = process.cpuUsage();
      const result = await run(`
        const parse = JSON.parse;
        let [read, refused] = [0, 0];
        JSON.parse = (text) => text.length > 1000 ? { answer: 1 } : parse(text);
        for (let count = 0; count < 499; count += 1) {
          try { await kept("${handle}"); read += 1; } catch { refused += 1; }
        }
        return { read, refused };`);
      const { user, system } = process.cpuUsage(before);
      expect(JSON.parse(textOf(result))).toEqual({ read: 5, refused: 494 });
      expect((user + system) / 1e6).toBeLessThan(4);
    });

    test('that makes many calls at once with long invalid arguments lets others in between', async () => {
      const run = await open();
      let turns = 0;
      const count = (): void => {
        turns += 1;
        next = setImmediate(count);
      };
      let next = setImmediate(count);
      const result = await run(`
        const numbers = Array.from({ length: 15_000 }, () => "x");
        const calls = Array.from({ length: 20 }, () => library.list({ numbers }).catch(({ code }) => code));
        return (await Promise.all(calls)).every((code) => code === "invalid_arguments")`);
      clearImmediate(next);
      expect(textOf(result)).toBe('true');
      expect(turns).toBeGreaterThan(20);
    });
  },
  {},
  { connectors: CONNECTORS, upstream: (_, response) => void response.end('{}') },
);

describeUserPage(
  'a program in a gateway with little time for each user',
  (given) => {
    test('that kept a long result has it read as a resource until the time of the user is used up', async () => {
      const permission = writePermission({ ...FULL_PERMISSION, catalogue: 'code' });
      const { token } = await given.allow('Claude', { permission });
      const kept = textOf(await callTool(given.origin + MCP_PATH, token, 'run_code', { code: LONG_RESULT }));
      const uri = `kept://results/${/kept_[\w-]+/.exec(kept)?.[0]}`;
      const read = async () => (await given.ask(token, 'resources/read', { uri })).body;
      let last = await read();
      expect(JSON.parse(last.result.contents[0].text)).toHaveLength(30_000);
      for (let count = 0; count < 2000 && last.error === undefined; count += 1) last = await read();
      expect(last.error).toMatchObject({ code: 429, data: { retryAfterSeconds: expect.any(Number) } });
      expect(last.error.message).toContain('Try again in');
      given.now += 61_000;
      expect((await read()).error).toBeUndefined();
    });
  },
  { WORK_SECONDS_PER_MINUTE: '1', TOOL_CALLS_PER_MINUTE: '100000' },
  { connectors: CONNECTORS, upstream: (_, response) => void response.end('{}') },
);
