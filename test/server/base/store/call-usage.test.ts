import { expect, test } from 'vitest';
import type { Store } from '../../../../server/base/store/index.ts';
import { tallyCallsByTool } from '../../../../server/base/store/reports/call-statistics.ts';
import {
  CALL_USAGE_LIMITS,
  type CallDimension,
  type CallUsageQuestion,
  sumCallUsage,
} from '../../../../server/base/store/reports/call-usage.ts';
import { findClientUse } from '../../../../server/base/store/reports/client-list.ts';
import { findMatchingCalls, listEndedCalls } from '../../../../server/base/store/reports/ended-calls.ts';
import { findNames, type NamedKind } from '../../../../server/base/store/reports/names.ts';
import { readSetup } from '../../../../server/base/store/reports/overview.ts';
import { listUserCalls } from '../../../../server/base/store/reports/user-search.ts';
import type { CallRecord } from '../../../../server/base/store/repositories/call-records.ts';
import { listLiveGrants } from '../../../../server/base/store/repositories/live-access.ts';
import { insertTestPartner } from '../../../../server/base/store/repositories/partners.ts';
import { replaceUserReference } from '../../../../server/base/store/repositories/users.ts';
import { plansOf } from '../../../support/query-plans.ts';
import { describeStore } from './dialects.ts';
import { connect, insertPartnerAndUser } from './fixtures.ts';

const DAY_MS = 86_400_000;
const TODAY = Date.UTC(2030, 0, 15);
const SPAN = { since: TODAY - 6 * DAY_MS, until: TODAY + DAY_MS };

function insertCalls(store: Store, calls: readonly Partial<CallRecord>[]): Promise<void> {
  const call: CallRecord = {
    createdAt: TODAY,
    partnerId: 'partner',
    userId: 'user',
    tokenId: 'token',
    service: 'crm',
    tool: 'crm_find',
    outcome: 'ok',
    upstreamStatus: 200,
    upstreamCode: null,
    durationMs: 45,
    requestBytes: 10,
    responseBytes: 20,
    requestId: 'request',
  };
  return store.insertCallRecords(calls.map((each) => ({ ...call, ...each })));
}

function ask(by: readonly CallDimension[], more: Partial<CallUsageQuestion> = {}): CallUsageQuestion {
  return { by, span: SPAN, ...more };
}

describeStore('usage of all partners', (given) => {
  test('tallies and records give the same sums', async () => {
    const outcomes = ['ok', 'gone', 'awaiting_approval'];
    await insertCalls(
      given.store,
      Array.from({ length: 300 }, (_, index) => ({
        createdAt: TODAY + DAY_MS / 2 - index * 5_000_000,
        tool: `tool-${index % 4}`,
        partnerId: `partner-${index % 3}`,
        outcome: outcomes[index % 7] ?? 'ok',
        durationMs: index * 11,
      })),
    );
    for (const by of ['day', 'partner', 'service', 'tool'] as const) {
      const tallied = await sumCallUsage(given.store.db, ask([by]));
      const limits = { ...CALL_USAGE_LIMITS, sliceRows: 7 };
      const { groups, total, countedSince } = await sumCallUsage(given.store.db, ask([by, 'user']), limits);
      const recorded = groups.map(({ key, ...sums }) => ({ ...sums, key: key.slice(0, 1) }));
      expect(recorded).toEqual(expect.arrayContaining([...tallied.groups]));
      expect([recorded.length, total, countedSince]).toEqual([tallied.groups.length, tallied.total, null]);
      expect(tallied.total.calls).toBe(tallied.total.durations.reduce((sum, calls) => sum + calls, 0));
    }
  });

  test('a test partner is apart from live ones, and a removed partner counts as live', async () => {
    const { partner } = await insertPartnerAndUser(given.store);
    const testPartnerId = await insertTestPartner(given.store.db, partner.id, 1);
    await insertCalls(given.store, [{ partnerId: partner.id }, { partnerId: testPartnerId }, { partnerId: 'removed' }]);
    for (const by of ['partner', 'user'] as const) {
      const keysOf = async (realm: 'live' | 'test') =>
        (await sumCallUsage(given.store.db, ask(['partner', by], { realm }))).groups.map(({ key }) => key[0]);
      expect([await keysOf('test'), (await keysOf('live')).toSorted()]).toEqual([
        [testPartnerId],
        [partner.id, 'removed'].toSorted(),
      ]);
    }
  });

  test('groups have the names of partners, users and clients that are still there', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    const testPartnerId = await insertTestPartner(given.store.db, partner.id, 1);
    const namesOf = async (kind: NamedKind, ids: string[]) => [...(await findNames(given.store.db, kind, ids))];
    expect(await namesOf('partner', [partner.id, 'removed'])).toEqual([[partner.id, { name: 'Acme', testOf: null }]]);
    expect(await namesOf('partner', [testPartnerId])).toEqual([[testPartnerId, { name: 'Acme', testOf: partner.id }]]);
    expect(await namesOf('user', [user.id])).toEqual([[user.id, { name: 'alice', testOf: null }]]);
    expect(await namesOf('client', [])).toEqual([]);
    const ids = [...Array.from({ length: 1200 }, (_, index) => `removed-${index}`), user.id];
    expect(await namesOf('user', ids)).toEqual([[user.id, { name: 'alice', testOf: null }]]);
  });

  test.each([
    ['rows', { rows: 4, sliceRows: 2 }, 4],
    ['groups', { groups: 3, sliceRows: 1 }, 3],
    ['time', { ms: -1 }, 0],
  ])('what a limit of %s cuts off are the oldest calls', async (_, limits, calls) => {
    const times = Array.from({ length: 10 }, (__, index) => TODAY - index);
    await insertCalls(
      given.store,
      times.map((createdAt, index) => ({ createdAt, userId: `user-${index}` })),
    );
    const usage = await sumCallUsage(given.store.db, ask(['user']), { ...CALL_USAGE_LIMITS, ...limits });
    expect(usage.groups.map(({ key: [user] }) => user).toSorted()).toEqual(
      times.slice(0, calls).map((__, index) => `user-${index}`),
    );
    expect(usage.countedSince).toBe(calls === 0 ? SPAN.until : times[calls - 1]);
  });

  test('calls of one moment are counted once, and an aborted question reads nothing more', async () => {
    await insertCalls(
      given.store,
      Array.from({ length: 9 }, (_, index) => ({ createdAt: TODAY - (index > 4 ? 1 : 0) })),
    );
    const limits = { ...CALL_USAGE_LIMITS, sliceRows: 2 };
    expect((await sumCallUsage(given.store.db, ask(['user']), limits)).total.calls).toBe(9);
    expect((await sumCallUsage(given.store.db, ask(['user']), limits, AbortSignal.abort())).total.calls).toBe(0);
  });

  test.skipIf(given.dialect === 'postgres')('every statement is bounded by an index', async () => {
    await insertCalls(given.store, [{}]);
    const questions: Parameters<typeof plansOf>[1][] = [
      ...[ask(['user']), ask(['tool'], { userId: 'user' }), ask(['client', 'tool'], { tool: 'x' })].map(
        (question) => (db: Store['db']) => sumCallUsage(db, question),
      ),
      (db) => tallyCallsByTool(db, { since: TODAY, until: TODAY + DAY_MS }),
      (db) => listUserCalls(db, 'user', 10, { since: 0 }),
      (db) => findClientUse(db, 'client', TODAY),
      (db) => listLiveGrants(db, { userId: 'user', now: TODAY }, 10),
      (db) => replaceUserReference(db, 'user', 'gone'),
    ];
    for (const question of questions) {
      const plans = await plansOf(given.store, question);
      expect(plans.length).toBeGreaterThan(0);
      for (const plan of plans) expect(plan).not.toMatch(/SCAN (r|l|call_records)\b/);
    }
  });
});

describeStore('calls that have ended', (given) => {
  test('are found by their end, however long they took, and compared with a search', async () => {
    const { partner } = await insertPartnerAndUser(given.store);
    const testPartnerId = await insertTestPartner(given.store.db, partner.id, 1);
    await insertCalls(given.store, [
      { createdAt: TODAY - 600_000, durationMs: 600_000, tool: 'slow' },
      { createdAt: TODAY - 600_000, durationMs: 599_000, tool: 'earlier' },
      { createdAt: TODAY, tool: 'quick', outcome: 'gone' },
      { createdAt: TODAY - 1, tool: 'sample', partnerId: testPartnerId },
    ]);
    const ids = await listEndedCalls(given.store.db, TODAY, 10);
    const toolsOf = async (search: Parameters<typeof findMatchingCalls>[2]) =>
      (await findMatchingCalls(given.store.db, ids, search)).map(({ tool }) => tool);
    expect(await toolsOf({ limit: 10 })).toEqual(['quick', 'sample', 'slow']);
    expect(await toolsOf({ limit: 1 })).toEqual(['quick']);
    expect(await toolsOf({ limit: 10, outcome: 'failed' })).toEqual(['quick']);
    expect(await toolsOf({ limit: 10, realm: 'test' })).toEqual(['sample']);
    expect(await toolsOf({ limit: 10, tool: 'slow', since: TODAY })).toEqual([]);
    expect(await listEndedCalls(given.store.db, TODAY, 1)).toHaveLength(1);
  });
});

describeStore('the setup of a gateway', (given) => {
  test('is read from the store', async () => {
    const { db } = given.store;
    expect(await readSetup(db)).toEqual({ hasKeys: false, hasPartner: false, hasConnection: false, hasCall: false });
    const { user } = await insertPartnerAndUser(given.store);
    await connect(given.store, { userId: user.id, service: 'crm' });
    await insertCalls(given.store, [{}]);
    await db.insertInto('store_keys').values({ id: 'store', sealed: 'sealed' }).execute();
    expect(await readSetup(db)).toEqual({ hasKeys: true, hasPartner: true, hasConnection: true, hasCall: true });
  });
});
