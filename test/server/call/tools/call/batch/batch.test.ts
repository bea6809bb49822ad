import { expect, test } from 'vitest';
import { createValueSealer } from '../../../../../../server/base/credentials/sealed-value.ts';
import { FULL_PERMISSION } from '../../../../../../server/base/principal/permission.ts';
import type { Principal } from '../../../../../../server/base/principal/principal.ts';
import { createCallsMadeOnce } from '../../../../../../server/call/tools/call/idempotency-keys.ts';
import { revokeAccess } from '../../../../../../server/identity/grants/allowed/revoke.ts';
import { closeAfterEach } from '../../../../../support/close-after-each.ts';
import { keyBytes } from '../../../../../support/keys.ts';
import { describeStore } from '../../../../base/store/dialects.ts';
import { connect } from '../../../../base/store/fixtures.ts';
import { createPrincipal, errorOf, textOf } from '../../support.ts';
import { type ApprovalsUnderTest, BURN, IMPORT, PURGE, startApprovals } from '../approve/support.ts';

const LIST = ['1', '2', '3', '4', '5'];
const BATCH = { shelf: 'a', each: LIST };

/** The arguments of a batch of these items: of the first, and `also` of the others. */
function toArguments({ each, ...shared }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(each)) return shared;
  const [first, ...also] = each;
  return { ...shared, ...(typeof first === 'string' ? { id: first } : first), also };
}

describeStore('a batch', (given) => {
  const open = closeAfterEach<ApprovalsUnderTest>();

  /** Requests that the upstream got, in order. */
  let sent: string[] = [];
  const idsOf = () => sent.map((url) => url.split('/').at(-1));

  async function start(options: Parameters<typeof startApprovals>[1] = {}): Promise<ApprovalsUnderTest> {
    sent = [];
    const once = createCallsMadeOnce({
      db: given.store.db,
      sealer: createValueSealer({ keys: [{ id: 'test', key: keyBytes(1) }], purpose: 'test' }),
      now: () => calls.now(),
      onError: (error) => {
        throw error;
      },
    });
    const calls: ApprovalsUnderTest = await startApprovals(given.store, {
      rule: [],
      ...options,
      changes: { once, ...options.changes },
    });
    calls.answering = (url) => void sent.push(url);
    open.push(calls);
    return calls;
  }

  /** Answers a status for some items. */
  function refuse(calls: ApprovalsUnderTest, statuses: Record<string, number>): void {
    calls.answering = (url) => {
      sent.push(url);
      return statuses[url.split('/').at(-1) ?? ''];
    };
  }

  async function purge(calls: ApprovalsUnderTest, args: Record<string, unknown>, asked = {}) {
    const result = await calls.call(toArguments(args), { tool: PURGE, ...asked });
    const error = result.isError === true ? errorOf(result) : null;
    const batch = (error?.details ?? result.structuredContent?.batch) as Record<string, unknown>;
    return { code: error?.code ?? 'ok', batch, text: textOf(result), retryable: error?.retryable };
  }

  /** The caller, found again before each call as the test says. */
  function asked(calls: ApprovalsUnderTest, at: number, change: () => Promise<Partial<Principal> | null>) {
    let found = 0;
    const callerNow = async () => {
      found += 1;
      const changed = found > at ? await change() : {};
      return changed === null ? null : createPrincipal({ ...calls.principal, ...changed });
    };
    return { context: { callerNow } };
  }

  test('first says how many calls it would make, and sends nothing', async () => {
    const calls = await start();
    const { code, text, batch } = await purge(calls, { shelf: 'a', each: [...LIST, '6', '7', '8', '2', '2'] });
    expect(code).toBe('invalid_arguments');
    expect(text).toContain(
      'Nothing was sent yet. library_purge would be called 8 times (2 repeated ones are left out): "1", "2", "3", …, "6", "7", "8".',
    );
    expect(text).toContain('call again with "count": 8.');
    expect(batch).toEqual({ count: 8 });
    expect(sent).toEqual([]);
    expect(calls.nodes[0]!.records.map(({ outcome, upstreamCode }) => [outcome, upstreamCode])).toEqual([
      ['invalid_arguments', 'count'],
    ]);
  });

  test('makes one call for each item, in order, with a record of its own', async () => {
    const calls = await start();
    const { code, batch, text } = await purge(calls, { ...BATCH, each: [...LIST, '3'], count: 5 });
    expect([code, batch]).toEqual(['ok', { count: 5, done: 5 }]);
    expect(text).toContain('5 of 5 are done.');
    expect(sent).toEqual(LIST.map((id) => `/shelves/a/books/${id}`));
    const { records } = calls.nodes[0]!;
    expect(records.map(({ outcome, tool, requestId }) => `${tool} ${outcome} ${requestId}`)).toEqual(
      LIST.map(() => `${PURGE} ok request-1`),
    );
  });

  test('sends exactly the digits of each item, and takes neighbours for different ones', async () => {
    const calls = await start();
    const each = ['725653563933458433', '725653563933458434', '725653563933458400'];
    const [first, ...also] = each.map((pages) => ({ title: 'A', pages }));
    const result = await calls.call({ ...first, also, count: 3 }, { tool: IMPORT });
    expect(result.structuredContent?.batch).toMatchObject({ count: 3, done: 3 });
    expect(sent).toEqual(each.map((pages) => `/import?title=A&pages=${pages}`));
  });

  test('is refused if the count is not that of the list', async () => {
    const calls = await start();
    const { code, text } = await purge(calls, { ...BATCH, count: 6 });
    expect([code, sent]).toEqual(['invalid_arguments', []]);
    expect(text).toContain('"count" says 6.');
  });

  test('leaves a call alone that is none', async () => {
    const calls = await start();
    expect((await purge(calls, { shelf: 'a', id: '1' })).code).toBe('ok');
    expect((await purge(calls, { shelf: 'a', id: '2', also: [], count: null })).code).toBe('ok');
    expect((await purge(calls, { shelf: 'a', id: '3', also: null })).code).toBe('ok');
    expect(idsOf()).toEqual(['1', '2', '3']);
    const missing = await purge(calls, { shelf: 'a' });
    expect(missing.text).toContain('"id" is missing');
    expect((await calls.call({ id: '1', also: ['2'] }, { tool: BURN })).isError).toBe(true);
    expect(sent).toHaveLength(3);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['has an argument of all in an item', { also: [{ title: 'A', shelf: 'b' }] }, '"shelf" is no argument of an item'],
    [
      'has the name of a prototype',
      JSON.parse('{"also":[{"title":"A","__proto__":{"pages":1}}]}'),
      '"__proto__" is no argument',
    ],
    ['has a constructor', { also: [{ title: 'A', constructor: 'x' }] }, '"constructor" is no argument'],
    ['lacks what every call needs', { also: [{ title: 'A' }, { pages: 1 }] }, 'also[1]: '],
    ['has a value that no single call may have', { also: [{ title: 'A', pages: 'many' }] }, 'also[0]: '],
    ['is no list', { also: 7 }, '"also"'],
    [
      'is longer than 500 items',
      { also: Array.from({ length: 500 }, (_, n) => ({ title: String(n) })) },
      'at most 500 items',
    ],
    ['is larger than 64 KiB', { also: [{ title: 'x'.repeat(70_000) }] }, 'at most 64 KiB'],
  ])('is refused as a whole if it %s', async (_, args, says) => {
    const calls = await start();
    const result = await calls.call({ title: 'First', ...args, count: 1 }, { tool: IMPORT });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(says);
    expect(sent).toEqual([]);
  });

  test('gives the answers of calls that add something', async () => {
    const calls = await start();
    const result = await calls.call({ title: 'A', also: [{ title: 'B', pages: 2 }], count: 2 }, { tool: IMPORT });
    expect(result.structuredContent).toMatchObject({
      batch: { count: 2, done: 2, answers: [{ pages: 300 }, { pages: 300 }] },
    });
    expect(sent).toEqual(['/import?title=A', '/import?title=B&pages=2']);
  });

  test('refuses a value beyond a pin before anything is sent, and sends the pinned one', async () => {
    const calls = await start();
    const pinned = (pins: Record<string, string>) => ({
      principal: { permission: { ...FULL_PERMISSION, pins: { library: pins } } },
    });
    expect((await purge(calls, { ...BATCH, count: 5 }, pinned({ shelf: 'b' }))).code).toBe('not_allowed');
    expect((await purge(calls, { ...BATCH, count: 5 }, pinned({ id: '1' }))).code).not.toBe('ok');
    expect(sent).toEqual([]);
    expect((await purge(calls, { each: LIST, count: 5 }, pinned({ shelf: 'b' }))).code).toBe('ok');
    expect(sent[0]).toBe('/shelves/b/books/1');
  });

  test('needs the rights of a single call', async () => {
    const calls = await start();
    const principal = { scopes: ['tools:read'] as const };
    expect((await purge(calls, { ...BATCH, count: 5 }, { principal })).code).toBe('insufficient_scope');
    expect(sent).toEqual([]);
  });

  test('stops at the first refusal, says how far it came, and goes on without sending what is done', async () => {
    const calls = await start();
    refuse(calls, { 3: 403 });
    const first = await purge(calls, { ...BATCH, count: 5 });
    expect([first.code, first.batch]).toEqual(['forbidden', { count: 5, done: 2, notTried: 2, stoppedAt: '"3"' }]);
    expect(first.text).toContain('Stopped at 3 of 5, "3": ');
    expect(first.text).toContain('2 of 5 are done, 2 were not tried.');
    refuse(calls, {});
    const second = await purge(calls, { shelf: 'a', each: [...LIST].reverse(), count: 5 });
    expect([second.code, second.batch]).toEqual(['ok', { count: 5, done: 3, doneBefore: 2 }]);
    expect(idsOf()).toEqual(['1', '2', '3', '5', '4', '3']);
  });

  test('counts what a deletion does not find, and stops if none of the first is found', async () => {
    const calls = await start();
    refuse(calls, { 2: 404, 4: 410 });
    expect((await purge(calls, { ...BATCH, count: 5 })).batch).toEqual({ count: 5, done: 3, missing: ['"2"', '"4"'] });
    calls.answering = (url) => {
      sent.push(url);
      return 404;
    };
    const each = Array.from({ length: 9 }, (_, n) => `x${n}`);
    const none = await purge(calls, { shelf: 'a', each, count: 9 });
    expect([none.code, none.batch.notTried]).toEqual(['not_found', 4]);
  });

  test('stops at what a writing call does not find', async () => {
    const calls = await start();
    calls.answering = (url) => (sent.push(url) === 2 ? 404 : 200);
    const result = await calls.call({ title: 'A', also: [{ title: 'B' }, { title: 'C' }], count: 3 }, { tool: IMPORT });
    expect(errorOf(result).code).toBe('not_found');
    expect(sent).toHaveLength(2);
  });

  test('sends each item once if the same batch is called twice at once, on two nodes', async () => {
    const calls = await start();
    const both = await Promise.all([
      purge(calls, { ...BATCH, count: 5 }, { node: 0 }),
      purge(calls, { shelf: 'a', each: [...LIST].reverse(), count: 5 }, { node: 1 }),
    ]);
    expect(both.map(({ code }) => code)).toEqual(['ok', 'ok']);
    expect(idsOf().sort()).toEqual(LIST);
    expect(both.reduce((sum, { batch }) => sum + Number(batch.done), 0)).toBe(5);
  });

  test('does not send again what nobody knows of, unless repeating it changes nothing', async () => {
    const calls = await start();
    const titles = { title: 'A', also: [{ title: 'B' }], count: 2 };
    const break_ = (tool: string, args: object) => {
      calls.answering = (url) => (sent.push(url) === 1 ? 500 : 200);
      return calls.call(args as Record<string, unknown>, { tool });
    };
    expect(errorOf(await break_(IMPORT, titles)).code).toBe('upstream_error');
    const again = await calls.call(titles, { tool: IMPORT });
    expect(again.structuredContent).toMatchObject({ batch: { count: 2, done: 1, unknown: ['"A"'] } });
    expect(sent).toEqual(['/import?title=A', '/import?title=B']);
    sent = [];
    await break_(PURGE, toArguments({ ...BATCH, count: 5 }));
    expect((await purge(calls, { ...BATCH, count: 5 })).batch).toEqual({ count: 5, done: 5 });
    expect(idsOf()).toEqual(['1', ...LIST]);
  });

  test('stops in time, and goes on', async () => {
    const calls = await start();
    calls.answering = (url) => {
      if (sent.push(url) === 3) calls.skipMs += 2_300;
    };
    const first = await purge(calls, { ...BATCH, count: 5 });
    expect([first.code, first.batch]).toEqual(['ok', { count: 5, done: 3, notTried: 2 }]);
    expect(first.text).toContain('The time of the call is over. Call again with the same arguments');
    expect((await purge(calls, { ...BATCH, count: 5 })).batch).toEqual({ count: 5, done: 2, doneBefore: 3 });
    expect(idsOf()).toEqual(LIST);
  });

  test('stops when its client cancels it, in every revision', async () => {
    const calls = await start();
    const stop = new AbortController();
    calls.answering = (url) => {
      if (sent.push(url) === 2) stop.abort();
    };
    const { code, batch } = await purge(calls, { ...BATCH, count: 5 }, { context: { signal: stop.signal } });
    expect([code, batch.done, sent.length]).toEqual(['cancelled', 2, 2]);
  });

  test("counts its calls in the user's bucket of inner calls", async () => {
    let left = 3;
    const calls = await start({ changes: { innerLimit: { consume: async () => (left-- > 0 ? null : 7) } } });
    const { code, batch, text } = await purge(calls, { ...BATCH, count: 5 });
    expect([code, batch.done, sent.length]).toEqual(['too_many_calls', 3, 3]);
    expect(text).toContain('Wait 7 seconds first.');
    left = 9;
    expect((await purge(calls, { ...BATCH, count: 5 })).batch).toMatchObject({ done: 2, doneBefore: 3 });
  });

  test('stops where the caps of the service are reached', async () => {
    let turns = 0;
    const full = { kind: 'none', cap: 'rate', retryAfterSeconds: 4 };
    const turnsOf = { take: async () => (++turns > 2 ? full : { kind: 'taken', end: () => {} }) };
    const calls = await start({
      caps: { rate: { requests: 2, seconds: 9 } },
      changes: { upstreamSlots: turnsOf as never },
    });
    const { code, batch, text } = await purge(calls, { ...BATCH, count: 5 });
    expect([code, batch.done, sent.length]).toEqual(['no_free_turn', 2, 2]);
    expect(text).toContain('Wait 4 seconds first.');
    turns = -9;
    expect((await purge(calls, { ...BATCH, count: 5 })).batch).toEqual({ count: 5, done: 3, doneBefore: 2 });
  });

  test.each<[string, Partial<Principal> | null, string]>([
    ['its grant is revoked', null, 'not_allowed'],
    ['its user takes back writing', { scopes: ['tools:read'] }, 'insufficient_scope'],
    ['its connection is removed', { connections: new Map(), services: [] }, 'not_connected'],
    ['its partner is suspended', { isSuspended: true }, 'partner_suspended'],
    ['the operator stops writing', { isWritingStopped: true }, 'writing_stopped'],
    ['an argument is pinned', { permission: { ...FULL_PERMISSION, pins: { library: { shelf: 'b' } } } }, 'not_allowed'],
  ])('stops in the middle when %s', async (_, change, code) => {
    const calls = await start();
    const result = await purge(
      calls,
      { ...BATCH, count: 5 },
      asked(calls, 2, async () => change),
    );
    expect([result.code, result.batch.done]).toEqual([code, 2]);
    expect(idsOf()).toEqual(['1', '2']);
  });

  test('stops in the middle when another account is connected instead', async () => {
    const calls = await start();
    const { db } = given.store;
    const replace = async () => {
      await db.deleteFrom('connections').execute();
      const id = await connect(given.store, { userId: calls.principal.userId, service: 'library' });
      const other = { id, status: 'active', sealedCredential: '', updatedAt: 1 } as const;
      return { connections: new Map([['library', other]]) } as unknown as Partial<Principal>;
    };
    const { code, batch } = await purge(calls, { ...BATCH, count: 5 }, asked(calls, 2, replace));
    expect([code, batch.done, sent.length]).toEqual(['not_connected', 2, 2]);
  });

  test('does not take the yes of its client to the batch for a yes to what a rule wants later', async () => {
    const calls = await start({ channels: ['client-always'] });
    const { context } = asked(calls, 2, async () => ({ approvals: ['destroy'] }));
    const yes = { requestState: 'sealed', inputResponses: { confirm: { action: 'accept' } } };
    const { code } = await purge(calls, { ...BATCH, count: 5 }, { context: { ...context, ...yes } });
    expect([code, sent.length]).toEqual(['awaiting_approval', 2]);
  });

  test('is approved once, as the whole list that its user has seen, without a count', async () => {
    const calls = await start({ rule: ['destroy'] });
    expect((await purge(calls, BATCH)).code).toBe('awaiting_approval');
    expect(sent).toEqual([]);
    const [row, ...others] = await calls.waiting();
    expect(others).toEqual([]);
    await calls.approveAll();
    expect(row?.tool).toBe(PURGE);
    expect((await purge(calls, BATCH)).batch).toEqual({ count: 5, done: 5 });
    expect(calls.nodes[0]!.records.map(({ outcome, approvedBy }) => [outcome, approvedBy])).toEqual([
      ['awaiting_approval', null],
      ...LIST.map(() => ['ok', 'page']),
    ]);
    expect((await purge(calls, BATCH)).code).toBe('awaiting_approval');
  });

  test.each<[string, Record<string, unknown>]>([
    ['has one item more', { shelf: 'a', each: [...LIST, '6'] }],
    ['has one item less', { shelf: 'a', each: LIST.slice(1) }],
    ['has another item', { shelf: 'a', each: ['1', '2', '3', '4', '9'] }],
    ['is about another shelf', { shelf: 'b', each: LIST }],
    ['is a single call', { shelf: 'a', id: '1' }],
  ])('waits again for its user if what was approved %s', async (_, changed) => {
    const calls = await start({ rule: ['destroy'] });
    await purge(calls, BATCH);
    await calls.approveAll();
    expect((await purge(calls, { ...changed, count: 5 })).code).not.toBe('ok');
    expect((await purge(calls, changed)).code).toBe('awaiting_approval');
    expect(sent).toEqual([]);
  });

  test('keeps its approval until it is done, for the same list only', async () => {
    const calls = await start({ rule: ['destroy'] });
    await purge(calls, BATCH);
    await calls.approveAll();
    refuse(calls, { 3: 503 });
    expect((await purge(calls, BATCH)).batch.done).toBe(2);
    refuse(calls, {});
    expect((await purge(calls, BATCH)).batch).toEqual({ count: 5, done: 3, doneBefore: 2 });
    expect((await purge(calls, BATCH)).code).toBe('awaiting_approval');
    expect(calls.nodes[0]!.records.filter(({ outcome }) => outcome === 'ok')).toHaveLength(7);
  });

  test('stops when what was approved ends in the middle', async () => {
    const calls = await start({ rule: ['destroy'] });
    await purge(calls, BATCH);
    await calls.approveAll();
    calls.answering = async (url) => {
      if (sent.push(url) !== 2) return;
      await revokeAccess(given.store.db, { userId: calls.principal.userId }, { by: 'user', now: calls.now() });
    };
    const { code, batch } = await purge(calls, BATCH);
    expect([code, batch.done, sent.length]).toEqual(['awaiting_approval', 2, 2]);
    expect((await calls.waiting()).length).toBe(0);
  });

  test('stops when a rule of its user wants approvals from then on', async () => {
    const calls = await start();
    const { code, batch } = await purge(
      calls,
      { ...BATCH, count: 5 },
      asked(calls, 2, async () => ({ approvals: ['destroy'] })),
    );
    expect([code, batch.done, sent.length]).toEqual(['awaiting_approval', 2, 2]);
  });

  test('under an approval for a day says its count, and asks again where that has ended', async () => {
    const calls = await start({ rule: ['destroy'], remember: ['destroy', 'write'] });
    await purge(calls, { shelf: 'a', id: '0' });
    await calls.approveForADay();
    await purge(calls, { shelf: 'a', id: '0' });
    expect((await purge(calls, BATCH)).code).toBe('invalid_arguments');
    calls.answering = async (url) => {
      if (sent.push(url) !== 3) return;
      await given.store.db.deleteFrom('approvals').where('status', '=', 'standing').execute();
    };
    const { code } = await purge(calls, { ...BATCH, count: 5 });
    expect([code, sent.length]).toEqual(['awaiting_approval', 3]);
  });
});
