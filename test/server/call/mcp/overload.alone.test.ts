import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRateLimiter } from '../../../../server/base/limits/limiter.ts';
import type { ToolCallContext } from '../../../../server/call/tools/provider.ts';
import { closeAfterEach } from '../../../support/close-after-each.ts';
import { startCpuClock } from '../../../support/cpu-clock.ts';
import {
  ECHO_TOOL,
  type EndpointOptions,
  echo,
  modernRequest,
  provideTools,
  type RunningEndpoint,
  startEndpoint,
} from './support.ts';

const MEBIBYTE = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };
const UPLOAD = { ...ECHO_TOOL, name: 'library_upload' };
const manyKeys = `{${Array.from({ length: 300_000 }, (_, index) => `"k${index}":1`).join(',')}}`;
const bodyOf = (method: string, params: string) => `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
const callOf = (args: string, name = 'library_echo') => bodyOf('tools/call', `{"name":"${name}","arguments":${args}}`);

async function post(endpoint: RunningEndpoint, body: string, user = 'ada') {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${user}` };
  const answer = await fetch(endpoint.url, { method: 'POST', headers, body });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer };
}

interface Answer {
  readonly id: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly result?: Record<string, unknown>;
}

describe('a body that is crafted to be slow', () => {
  let endpoint: RunningEndpoint;
  beforeAll(async () => {
    endpoint = await startEndpoint({
      tools: {
        ...provideTools({ library_echo: echo, library_upload: () => ({ content: [] }) }, [ECHO_TOOL, UPLOAD]),
        takesFiles: (name) => name === 'library_upload',
      },
      maxBodyBytes: 4 * MEBIBYTE,
    });
    await post(endpoint, bodyOf('prompts/list', '{}'));
  });
  afterAll(() => endpoint.close());

  const ROWS: readonly [string, string, number, RegExp][] = [
    ['a ping with 300,000 keys', bodyOf('ping', manyKeys), 400, /more than 1000 members/],
    ['a call with 300,000 keys', callOf(manyKeys), 400, /more than 1000 members/],
    ['a call of a tool for files with 300,000 keys', callOf(manyKeys, 'library_upload'), 400, /more than 1000 members/],
    ['an unknown method with 300,000 keys', bodyOf('nonsense', manyKeys), 400, /more than 1000 members/],
    ['an array of a million', callOf(`{"a":[${'0,'.repeat(999_999)}0]}`), 400, /more than 20000 values/],
    ['a batch of many', `[${`${bodyOf('ping', '{}')},`.repeat(30_000)}0]`, 400, /more than 20000 values/],
    [
      'a million levels',
      callOf(`{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`),
      400,
      /deeper than 100 levels/,
    ],
    ['a text of 3.9 MB', callOf(`{"a":"${'x'.repeat(3_900_000)}"}`), 413, /larger than 524288 bytes/],
    ['a text of 3.9 MB of quotes', callOf(`{"a":"${'\\"'.repeat(1_950_000)}"}`), 413, /larger than 524288 bytes/],
    ['a ping of 3.9 MB', bodyOf('ping', `{"a":"${'x'.repeat(3_900_000)}"}`), 413, /tools that take files/],
    ['quotes without an end', '"'.repeat(3_900_001), 413, /larger than 524288 bytes/],
  ];
  for (const [title, body, status, message] of ROWS) {
    it(`is refused at once: ${title}`, async () => {
      const cpuMs = startCpuClock();
      const answer = await post(endpoint, body);
      const used = cpuMs();
      expect(answer.status).toBe(status);
      expect(answer.body.error?.message).toMatch(message);
      expect(used).toBeLessThan(250);
    });
  }

  it('delays no other request', async () => {
    const slow = Array.from({ length: 4 }, () => post(endpoint, callOf(manyKeys)));
    let longest = 0;
    let isOver = false;
    void Promise.all(slow).then(() => {
      isOver = true;
    });
    while (!isOver) {
      const cpuMs = startCpuClock();
      expect((await post(endpoint, bodyOf('tools/list', '{}'), 'grace')).status).toBe(200);
      longest = Math.max(longest, cpuMs());
    }
    expect(longest).toBeLessThan(1000);
  });

  it('may be up to the body limit for a tool that takes files', async () => {
    const { status, body } = await post(endpoint, callOf(`{"data":"${'x'.repeat(3_900_000)}"}`, 'library_upload'));
    expect([status, body.result]).toEqual([200, { content: [] }]);
  });

  it('may have 512 KiB for any tool', async () => {
    const around = callOf('{"text":""}').length;
    const fitting = callOf(`{"text":"${'x'.repeat(512 * 1024 - around)}"}`);
    expect(Buffer.byteLength(fitting)).toBe(512 * 1024);
    expect((await post(endpoint, fitting)).status).toBe(200);
    expect((await post(endpoint, fitting.replace('"x', '"xx'))).status).toBe(413);
  });

  it('gets an answer if it is somewhat too large, and keeps the connection', async () => {
    for (let round = 0; round < 10; round += 1) {
      expect((await post(endpoint, `"${'x'.repeat(4 * MEBIBYTE + round * 100_000)}"`)).status).toBe(413);
    }
  });
});

describe('the limit of a user', () => {
  const running = closeAfterEach<RunningEndpoint>();
  async function start(points: number, options: Partial<EndpointOptions> = {}) {
    const contexts: ToolCallContext[] = [];
    const call = (_: unknown, context: ToolCallContext) => {
      contexts.push(context);
      return echo({ waitSeconds: context.waitSeconds });
    };
    const limit = createRateLimiter({ points, durationSeconds: 60 });
    const endpoint = await startEndpoint({ tools: provideTools({ library_echo: call }), limit, ...options });
    running.push(endpoint);
    return { endpoint, contexts };
  }

  it.each([
    ['a list', bodyOf('tools/list', '{}')],
    ['a ping', bodyOf('ping', '{}')],
    ['an unknown method', bodyOf('nonsense', '{}')],
    ['an unknown tool', callOf('{}', 'library_nope')],
    ['a notification', '{"jsonrpc":"2.0","method":"notifications/initialized"}'],
    ['broken JSON', '{'],
    ['a body that is too large', `"${'x'.repeat(100_000)}"`],
  ])('counts %s', async (_title, body) => {
    const { endpoint } = await start(1);
    const headers = { ...JSON_TYPE, authorization: 'Bearer ada' };
    await (await fetch(endpoint.url, { method: 'POST', headers, body })).text();
    const { status, headers: answered, body: answer } = await post(endpoint, bodyOf('ping', '{}'));
    expect(status).toBe(429);
    expect(Number(answered.get('retry-after'))).toBeGreaterThan(50);
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: 429, message: expect.stringMatching(/^This user has made too many requests\. Wait \d+ seconds/) },
    });
  });

  it('does not affect other users', async () => {
    const { endpoint } = await start(1);
    const statuses = [];
    for (const user of ['ada', 'ada', 'grace'])
      statuses.push((await post(endpoint, bodyOf('ping', '{}'), user)).status);
    expect(statuses).toEqual([200, 429, 200]);
  });

  it('answers a call with a result that a model can read, with the seconds to wait', async () => {
    const { endpoint, contexts } = await start(1);
    await post(endpoint, callOf('{}'));
    expect((await post(endpoint, callOf('{}'))).body.result).toMatchObject({
      structuredContent: { waitSeconds: expect.any(Number) },
    });
    const modern = modernRequest({ method: 'tools/call', params: { name: 'library_echo', arguments: {} } });
    const headers = { ...(modern.headers as object), authorization: 'Bearer ada' };
    expect((await fetch(endpoint.url, { ...modern, headers })).status).toBe(200);
    expect(contexts.map(({ waitSeconds }) => waitSeconds !== null)).toEqual([false, true, true]);
  });

  it('answers a large or malformed call with 429', async () => {
    const { endpoint, contexts } = await start(1);
    await post(endpoint, bodyOf('ping', '{}'));
    const bodies = [
      callOf(`{"text":"${'x'.repeat(64 * 1024)}"}`),
      callOf('[]'),
      `[${callOf('{}')}]`,
      '{',
      bodyOf('tools/list', '{}'),
    ];
    for (const body of bodies) expect((await post(endpoint, body)).status).toBe(429);
    expect(contexts).toEqual([]);
  });

  it('counts every HTTP method, whose own refusal comes first', async () => {
    const { endpoint } = await start(1);
    const headers = { authorization: 'Bearer ada' };
    for (let round = 0; round < 2; round += 1) expect((await fetch(endpoint.url, { headers })).status).toBe(405);
    expect((await post(endpoint, bodyOf('ping', '{}'))).status).toBe(429);
  });
});
