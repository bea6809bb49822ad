import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createValueSealer } from '../../../../../../server/base/credentials/sealed-value.ts';
import { FULL_PERMISSION } from '../../../../../../server/base/principal/permission.ts';
import { purge } from '../../../../../../server/base/store/purge.ts';
import { retentionRules } from '../../../../../../server/base/store/retention.ts';
import { createCallsMadeOnce } from '../../../../../../server/call/tools/call/idempotency-keys.ts';
import { toRawNumber } from '../../../../../../shared/exact-json.ts';
import { closeAfterEach } from '../../../../../support/close-after-each.ts';
import { keyBytes } from '../../../../../support/keys.ts';
import { describeStore } from '../../../../base/store/dialects.ts';
import { errorOf, textOf } from '../../support.ts';
import { LIST, type OnceUnderTest, PUT, startOnce } from './support.ts';

const DAY_MS = 86_400_000;
const numbered = (): RequestListener => {
  let number = 0;
  return (_, response) => {
    number += 1;
    response
      .writeHead(201, { 'content-type': 'application/json' })
      .end(`{"number":${number},"exact":1.0000000000000001}`);
  };
};

describeStore('a call with an idempotency key', (given) => {
  const open = closeAfterEach<OnceUnderTest>();
  async function start(listener: RequestListener, changes?: Parameters<typeof startOnce>[2]): Promise<OnceUnderTest> {
    const started = await startOnce(given.store, listener, changes);
    open.push(started);
    return started;
  }
  const rows = () => given.store.db.selectFrom('calls_made_once').selectAll().execute();

  test('is of exactly its digits', async () => {
    const once = await start(numbered());
    const pages = '725653563933458433';
    await once.add('k', { pages });
    expect((await once.add('k', { pages: toRawNumber(pages) })).isError).toBeUndefined();
    expect(errorOf(await once.add('k', { pages: '725653563933458434' })).code).toBe('idempotency_key_reused');
    expect(once.hits()).toBe(1);
  });

  test('is sent once, on whichever node it is repeated, with the same answer', async () => {
    const once = await start(numbered());
    const first = await once.add('k', { title: 'A', note: 'n' });
    const again = await once.add('k', { note: 'n', title: 'A' }, { node: 1 });
    expect(again).toEqual(first);
    expect(textOf(first)).toContain('1.0000000000000001');
    expect(once.hits()).toBe(1);
    expect(once.nodes.map(({ records }) => records.map((r) => [r.outcome, r.upstreamStatus]))).toEqual([
      [['ok', 201]],
      [['ok', null]],
    ]);
  });

  test('without a key is sent each time, and nothing is stored', async () => {
    const once = await start(numbered());
    await once.add(null);
    await once.add(null);
    expect([once.hits(), await rows()]).toEqual([2, []]);
  });

  test('is not recorded for a tool that reads', async () => {
    const once = await start(numbered());
    await once.add('k', {}, { tool: LIST });
    await once.add('k', {}, { tool: LIST });
    expect([once.hits(), await rows()]).toEqual([2, []]);
  });

  test('is sent once for many concurrent calls on two nodes', async () => {
    const once = await start((_, response) => setTimeout(() => response.writeHead(201).end('{"number":7}'), 100));
    const results = await Promise.all(Array.from({ length: 8 }, (_, node) => once.add('k', {}, { node: node % 2 })));
    expect(once.hits()).toBe(1);
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(results[0]?.isError ?? false).toBe(false);
  });

  test.each<[string, Record<string, unknown>, string | undefined]>([
    ['other arguments', { title: 'B' }, undefined],
    ['another tool', { title: 'A' }, PUT],
  ])('is rejected with %s', async (_title, args, tool) => {
    const once = await start(numbered());
    await once.add('k', { title: 'A' });
    const refused = await once.add('k', args, tool === undefined ? {} : { tool });
    expect(errorOf(refused)).toMatchObject({ code: 'idempotency_key_reused', retryable: false });
    expect(once.hits()).toBe(1);
  });

  test('is sent again after a day', async () => {
    const once = await start(numbered());
    await once.add('k');
    once.skipMs = DAY_MS - 60_000;
    await once.add('k');
    expect(once.hits()).toBe(1);
    once.skipMs = DAY_MS + 60_000;
    await once.add('k');
    expect(once.hits()).toBe(2);
    await purge(given.store, retentionRules({ callRecordDays: 90 }), { now: Date.now() + 3 * DAY_MS });
    expect(await rows()).toEqual([]);
  });

  test.each<[number, Record<string, string>, 'free' | 'unknown']>([
    [400, {}, 'free'],
    [429, {}, 'free'],
    [503, { 'retry-after': '3' }, 'free'],
    [503, {}, 'unknown'],
    [500, {}, 'unknown'],
    [303, { location: '/elsewhere' }, 'unknown'],
  ])('whose upstream answers %i %j leaves its key %s', async (status, headers, fate) => {
    let answers = 0;
    const once = await start((_, response) => {
      answers += 1;
      response.writeHead(answers === 1 ? status : 201, answers === 1 ? headers : {}).end('{}');
    });
    expect((await once.add('k')).isError).toBe(true);
    const second = await once.add('k', {}, { node: 1 });
    if (fate === 'free') expect(second.isError ?? false).toBe(false);
    else expect(errorOf(second)).toMatchObject({ code: 'outcome_unknown', retryable: false });
    expect(once.hits()).toBe(fate === 'free' ? 2 : 1);
  });

  test.each<[string, number, Record<string, string>, string]>([
    ['without content', 201, { location: '/books/42' }, ''],
    ['that cannot be decoded', 200, { 'content-type': 'application/json' }, '{"id":'],
  ])('whose answer is a success %s gets the same result again', async (_title, status, headers, body) => {
    const once = await start((_, response) => void response.writeHead(status, headers).end(body));
    const first = await once.add('k');
    expect(await once.add('k', {}, { node: 1 })).toEqual(first);
    expect(once.hits()).toBe(1);
  });

  test('that is interrupted is not sent again, and the error says what to do', async () => {
    const once = await start((request) => request.socket.resetAndDestroy());
    expect(errorOf(await once.add('k')).code).toBe('upstream_connection_lost');
    const second = await once.add('k');
    expect(textOf(second)).toContain(
      'whether it took effect is not known. It was not sent again. Read the current state',
    );
    expect(once.hits()).toBe(1);
  });

  test('that is interrupted is sent again where the tool is idempotent', async () => {
    let hits = 0;
    const once = await start((request, response) => {
      hits += 1;
      if (hits === 1) request.socket.resetAndDestroy();
      else response.end('{"done":true}');
    });
    expect(errorOf(await once.add('k', {}, { tool: PUT })).code).toBe('upstream_connection_lost');
    expect((await once.add('k', {}, { tool: PUT, node: 1 })).structuredContent).toEqual({ done: true });
    await once.add('k', {}, { tool: PUT });
    expect(once.hits()).toBe(2);
  });

  test('that never reached its upstream leaves its key free', async () => {
    const once = await start(numbered());
    await once.close();
    expect(errorOf(await once.add('k')).code).toBe('upstream_unreachable');
    expect(await rows()).toEqual([]);
    open.length = 0;
  });

  test('whose arguments are rejected leaves its key free', async () => {
    const once = await start(numbered());
    expect(errorOf(await once.add('k', { pages: 'many' })).code).toBe('invalid_arguments');
    expect((await once.add('k', { pages: 3 })).isError ?? false).toBe(false);
  });

  test('continues when its client disconnects, and answers the client that returns', async () => {
    const once = await start((_, response) => setTimeout(() => response.end('{"number":1}'), 150));
    const gone = new AbortController();
    const first = once.add('k', {}, { signal: gone.signal });
    await expect.poll(once.hits).toBe(1);
    gone.abort();
    expect((await once.add('k', {}, { node: 1 })).structuredContent).toEqual({ number: 1 });
    await first;
    expect(once.hits()).toBe(1);
  });

  test('is not sent for a client that has already disconnected', async () => {
    const once = await start(numbered());
    expect(errorOf(await once.add('k', {}, { signal: AbortSignal.abort() })).code).toBe('cancelled');
    expect([once.hits(), await rows()]).toEqual([0, []]);
  });

  test('waits for the first within its own deadline, then reports that it is running', async () => {
    const answer = Promise.withResolvers<void>();
    const listener: RequestListener = async (_, response) => {
      await answer.promise;
      response.end('{}');
    };
    const once = await startOnce(given.store, listener, { timeoutMs: 120_000 }, { timeoutMs: 150 });
    open.push(once);
    const first = once.add('k');
    await expect.poll(once.hits).toBe(1);
    expect(errorOf(await once.add('k', {}, { node: 1 }))).toMatchObject({
      code: 'call_in_progress',
      retryable: true,
      retryAfterSeconds: 2,
    });
    answer.resolve();
    await first;
  });

  test('is unknown once the time of the node that sent it has passed', async () => {
    const once = await start(numbered(), {
      once: {
        claim: (call, key) => createOnce().claim(call, key),
        settle: async () => {},
      },
    });
    const createOnce = () =>
      createCallsMadeOnce({
        db: given.store.db,
        sealer: createValueSealer({ keys: [{ id: 'test', key: keyBytes(1) }], purpose: 'test' }),
        now: () => Date.now() + once.skipMs,
        onError: () => {},
      });
    await once.add('k');
    once.skipMs = 6_000;
    expect(errorOf(await once.add('k', {}, { node: 1 })).code).toBe('outcome_unknown');
    expect(once.hits()).toBe(1);
  });

  test('checks what the token may do before it returns a stored answer', async () => {
    const once = await start(numbered());
    await once.add('k');
    const code = async (principal: object) => errorOf(await once.add('k', {}, { principal })).code;
    expect(await code({ scopes: ['tools:read'] })).toBe('insufficient_scope');
    expect(await code({ permission: { ...FULL_PERMISSION, without: ['library_add_book'] } })).toBe('not_allowed');
    expect(await code({ connections: new Map(), services: [] })).toBe('not_connected');
    const pinned = { ...FULL_PERMISSION, pins: { library: { title: 'Mine' } } };
    expect(await code({ permission: pinned })).toBe('idempotency_key_reused');
    expect(once.hits()).toBe(1);
  });

  test('is deleted with its grant, its user and its connection', async () => {
    const once = await start(numbered());
    const grantId = await once.grant();
    await once.add('of the token');
    await once.add('of the grant', {}, { principal: { grantId } });
    await given.store.db.deleteFrom('oauth_grants').execute();
    expect((await rows()).map((row) => [row.grant_id, row.token_id !== null])).toEqual([[null, true]]);
    await given.store.db.deleteFrom('connections').execute();
    expect(await rows()).toEqual([]);
    expect(errorOf(await once.add('late')).code).toBe('not_connected');
  });

  test('stores no key, argument or answer in the clear', async () => {
    const once = await start((_, response) => response.end('{"secret":"the-answer"}'));
    await once.add('the-key', { title: 'the-title' });
    const [row] = await rows();
    expect(row).toMatchObject({ status: 'done', sealed_answer: expect.stringMatching(/^v1\.test\./) });
    expect(JSON.stringify(row)).not.toMatch(/the-(key|title|answer)/);
  });

  test('gets its answer even where the store fails to record the result', async () => {
    const once = await start(async (_, response) => {
      await given.store.db.schema.alterTable('calls_made_once').renameTo('hidden').execute();
      response.end('{"number":1}');
    });
    expect((await once.add('k')).structuredContent).toEqual({ number: 1 });
    expect(once.errors).toHaveLength(1);
    await given.store.db.schema.alterTable('hidden').renameTo('calls_made_once').execute();
    await delay(0);
    expect((await rows()).map(({ status }) => status)).toEqual(['running']);
  });

  test.each<[string, unknown]>([
    ['empty', ''],
    ['a number', 7],
    ['null', null],
    ['too long', 'x'.repeat(256)],
    ['with a line break', 'a\nb'],
    ['with a leading or trailing space', ' a'],
  ])('is rejected where the key is %s', async (_title, key) => {
    const once = await start(numbered());
    const call = once.nodes[0]!.call(
      'library_add_book',
      {},
      { principal: once.principal, meta: { idempotencyKey: key } },
    );
    await expect(call).rejects.toThrow('Invalid idempotencyKey in _meta');
    expect(once.hits()).toBe(0);
  });
});
