import { expect, test } from 'vitest';
import { FULL_PERMISSION } from '../../../../../server/base/principal/permission.ts';
import type { ToolWait } from '../../../../../server/contract/index.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';
import { startHost } from '../../upstream/support.ts';
import { type CallOptions, createFixture, errorOf, textOf } from '../support.ts';

const open = closeAfterEach();

const BY_MEMBER: ToolWait = {
  tool: 'library_get_scan',
  arguments: { id: '/id', shelf: 'shelf' },
  state: '/status',
  until: ['ready'],
  failed: ['broken'],
};
const BY_ADDRESS: ToolWait = { tool: 'library_get_scan', location: { id: 0 }, until: [], failed: [] };

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function given(wait: ToolWait, first: Answer, ...states: Answer[]) {
  const heard: string[] = [];
  const host = await startHost((request, response) => {
    heard.push(`${request.method} ${request.url}`);
    const { status = 200, headers = {}, body = {} } = (request.method === 'POST' ? first : states.shift()) ?? {};
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  });
  const input = { properties: { shelf: { type: 'string' } } };
  const tools = [
    fakeTool({ name: 'library_scan', method: 'POST', path: '/scans', input, more: { wait } }),
    fakeTool({
      name: 'library_get_scan',
      path: '/scans/{id}',
      input: { properties: { id: { type: 'string' }, shelf: { type: 'string' } }, required: ['id'] },
    }),
  ];
  let now = 0;
  const pauses: number[] = [];
  const changes = {
    now: () => now,
    timeoutMs: 30_000,
    wait: async (ms: number, signal: AbortSignal) => {
      signal.throwIfAborted();
      pauses.push(ms);
      now += ms;
    },
  };
  const fixture = createFixture({ tools, origin: host.origin, changes });
  open.push(host, fixture);
  const call = (options?: CallOptions) => fixture.call('library_scan', { shelf: 'A' }, options);
  return { ...fixture, heard, pauses, call };
}

const at = (status: unknown) => ({ body: { id: 's/1', status } });

test('answers with the last state, and leaves one record', async () => {
  const { call, heard, pauses, records } = await given(BY_MEMBER, at('new'), at('running'), at('ready'));
  const result = await call();
  expect(result.structuredContent).toEqual({ id: 's/1', status: 'ready' });
  expect(textOf(result)).toContain('Waited 2 s for the end of the work, as library_get_scan tells it.');
  expect(heard).toEqual(['POST /scans?shelf=A', 'GET /scans/s%2F1?shelf=A', 'GET /scans/s%2F1?shelf=A']);
  expect(pauses).toEqual([500, 1000]);
  expect(records.map(({ tool, outcome }) => [tool, outcome])).toEqual([['library_scan', 'ok']]);
});

test('says that the work failed', async () => {
  const { call } = await given(BY_MEMBER, at('new'), at('broken'));
  const result = await call();
  expect(textOf(result)).toContain('The work failed after 1 s: its state is "broken".');
  expect(result.isError).toBeUndefined();
});

test('reads the address of the state from a header until the status is another than 202', async () => {
  const headers = { location: 'https://elsewhere.example/v9/scans/a%20b?x=1' };
  const { call, heard } = await given(BY_ADDRESS, { status: 202, headers }, { status: 202 }, { body: { pages: 3 } });
  expect((await call()).structuredContent).toEqual({ pages: 3 });
  expect(heard.slice(1)).toEqual(['GET /scans/a%20b', 'GET /scans/a%20b']);
});

test('reads the address from an answer without content', async () => {
  const headers = { 'operation-location': '/scans/7' };
  const { call, heard } = await given(BY_ADDRESS, { status: 202, headers, body: null }, { body: { pages: 3 } });
  expect((await call()).structuredContent).toEqual({ pages: 3 });
  expect(heard.slice(1)).toEqual(['GET /scans/7']);
});

test('ends before the call does, and says how to go on', async () => {
  const states = Array.from({ length: 40 }, () => at('running'));
  const { call, heard, pauses } = await given(BY_MEMBER, at('new'), ...states);
  const text = textOf(await call());
  expect(text).toContain(
    'The work goes on: its state is "running". Call library_get_scan with {"id":"s/1","shelf":"A"} until status is ready or broken; do not begin it again.',
  );
  expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(30_000);
  expect(heard.length).toBe(1 + pauses.length);
});

test('waits as long as an answer asks for, if there is time', async () => {
  const { call, pauses } = await given(
    BY_MEMBER,
    { ...at('new'), headers: { 'retry-after': '7' } },
    { ...at('running'), headers: { 'retry-after': '600' } },
  );
  expect(textOf(await call())).toContain('The work goes on');
  expect(pauses).toEqual([7000]);
});

test.each<[string, ToolWait, Answer]>([
  ['is an error', BY_MEMBER, { status: 500 }],
  ['names no id', BY_MEMBER, { body: { status: 'new' } }],
  ['has an object for an id', BY_MEMBER, { body: { id: { a: 1 } } }],
  ['has no address', BY_ADDRESS, { status: 202 }],
  ['has an address that cannot be read', BY_ADDRESS, { status: 202, headers: { location: '/scans/%E0%A4%A' } }],
])('reads nothing where the first answer %s', async (_, wait, first) => {
  const { call, heard } = await given(wait, first, at('ready'));
  await call();
  expect(heard).toEqual(['POST /scans?shelf=A']);
});

test('reads nothing that the grant does not hold', async () => {
  const { call, heard } = await given(BY_MEMBER, at('new'), at('ready'));
  const result = await call({ principal: { permission: { ...FULL_PERMISSION, without: ['library_get_scan'] } } });
  expect(result.structuredContent).toEqual({ id: 's/1', status: 'new' });
  expect(heard).toEqual(['POST /scans?shelf=A']);
});

test('never fails once the work was begun', async () => {
  const { call } = await given(BY_MEMBER, at('new'), { status: 404 });
  const result = await call();
  expect(result.isError).toBeUndefined();
  expect(result.structuredContent).toEqual({ id: 's/1', status: 'new' });
  expect(textOf(result)).toMatch(/The work was begun\. Reading its state failed: .*do not begin it again\./);
});

test('ends when the client cancels it', async () => {
  const stop = new AbortController();
  const { call, heard } = await given(BY_MEMBER, at('new'), at('ready'));
  const calling = call({ signal: stop.signal });
  while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  expect(errorOf(await calling).code).toBe('cancelled');
});
