import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../server/base/store/index.ts';
import { type PageCursor, readListPage } from '../../../../server/base/store/list-page.ts';
import {
  type CallSearch,
  countCallsOfRequest,
  findCall,
  searchCalls,
} from '../../../../server/base/store/reports/call-search.ts';
import { searchConnections } from '../../../../server/base/store/reports/connection-list.ts';
import type { CallRecord } from '../../../../server/base/store/repositories/call-records.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { newId } from '../../../../server/base/store/rows.ts';
import { plansOf } from '../../../support/query-plans.ts';
import { describeStore } from './dialects.ts';
import { connect, insertPartnerAndUser } from './fixtures.ts';

const BASE = Date.UTC(2030, 0, 15);

function insertCalls(store: Store, calls: readonly Partial<CallRecord>[]): Promise<void> {
  return store.insertCallRecords(
    calls.map((call) => ({
      ...{ createdAt: BASE, partnerId: 'acme', userId: 'alice', tokenId: 'token', service: 'mailer' },
      ...{ tool: 'mailer_send', outcome: 'ok', upstreamStatus: 200, upstreamCode: null, durationMs: 45 },
      ...{ requestBytes: 10, responseBytes: 20, requestId: 'request' },
      ...call,
    })),
  );
}

/** Times of the calls in page order, and the number of pages. */
async function walk(store: Store, search: CallSearch, { limit = 10, maxExamined = 1000 } = {}) {
  const times: number[] = [];
  const places: PageCursor[] = [{}];
  for (const place of places) {
    const page = await searchCalls(store.db, { ...search, place, limit }, maxExamined);
    times.push(...page.rows.map(({ createdAt }) => createdAt - BASE));
    if (page.older !== null) places.push({ before: page.older });
  }
  return { times, pages: places.length };
}

describe('a page of a list', () => {
  const listOf = (length: number) => Array.from({ length }, (_, index) => index);
  const pageOf = (length: number, limit: number, place: PageCursor) =>
    readListPage({
      place,
      limit,
      read: async ({ before, after }, rows) => {
        const list = listOf(length);
        if (after !== undefined)
          return list
            .filter((row) => row < Number(after))
            .reverse()
            .slice(0, rows);
        return list.filter((row) => before === undefined || row > Number(before)).slice(0, rows);
      },
      keyOf: String,
    });

  test('links to the next, which links back, and pages hold each row once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 7 }), async (length, limit) => {
        const seen: (readonly number[])[] = [];
        let page = await pageOf(length, limit, {});
        expect(page.newer).toBeNull();
        seen.push(page.rows);
        while (page.older !== null) {
          page = await pageOf(length, limit, { before: page.older });
          seen.push(page.rows);
        }
        expect(seen.flat()).toEqual(listOf(length));
        for (const rows of seen.slice(0, -1).toReversed()) {
          page = await pageOf(length, limit, { after: page.newer ?? '' });
          expect(page.rows).toEqual(rows);
        }
        expect(page.newer).toBeNull();
      }),
    );
  });

  test('whose rows were removed meanwhile links back', async () => {
    expect(await pageOf(3, 2, { before: '9' })).toEqual({ rows: [], newer: '9', older: null });
    expect(await pageOf(3, 2, { after: '0' })).toEqual({ rows: [0, 1], newer: null, older: '1' });
  });
});

describeStore('calls for an operator', (given) => {
  test('are listed newest first, page by page in both directions, each once, even if many share a time', async () => {
    await insertCalls(
      given.store,
      Array.from({ length: 25 }, (_, index) => ({ createdAt: BASE + Math.floor(index / 5) })),
    );
    const { times, pages } = await walk(given.store, {}, { limit: 7 });
    expect([times.length, times, pages]).toEqual([25, times.toSorted((a, b) => b - a), 4]);
    const page = (place: PageCursor) => searchCalls(given.store.db, { place, limit: 7 });
    const first = await page({});
    const second = await page({ before: first.older ?? '' });
    const third = await page({ before: second.older ?? '' });
    expect([first.newer, (await page({ after: third.newer ?? '' })).rows]).toEqual([null, second.rows]);
    expect(await page({ after: second.newer ?? '' })).toEqual(first);
  });

  test.each<[string, CallSearch, number[]]>([
    ['a user', { userId: 'bob' }, [1]],
    ['a partner', { partnerId: 'other' }, [2]],
    ['a service', { service: 'crm' }, [4, 3]],
    ['a tool', { tool: 'crm_find' }, [3]],
    ['an outcome', { outcome: 'not_found' }, [5]],
    ['success', { outcome: 'ok', service: 'mailer' }, [7, 2, 1]],
    ['any failure', { outcome: 'failed' }, [6, 5, 4]],
    ['a request', { requestId: 'request-7' }, [7]],
    ['a time', { since: BASE + 2, until: BASE + 4 }, [3, 2]],
    ['several of these', { service: 'crm', outcome: 'failed', since: BASE + 4 }, [4]],
    ['criteria that nothing meets', { userId: 'bob', tool: 'crm_find' }, []],
  ])('are selected by %s', async (_, search, times) => {
    await insertCalls(given.store, [
      { createdAt: BASE + 1, userId: 'bob' },
      { createdAt: BASE + 2, partnerId: 'other' },
      { createdAt: BASE + 3, service: 'crm', tool: 'crm_find' },
      { createdAt: BASE + 4, service: 'crm', outcome: 'gone' },
      { createdAt: BASE + 5, outcome: 'not_found' },
      { createdAt: BASE + 6, outcome: 'gone' },
      { createdAt: BASE + 7, requestId: 'request-7' },
    ]);
    expect((await walk(given.store, search)).times).toEqual(times);
  });

  test('are read in bounded numbers, whatever matches, in both directions', async () => {
    await insertCalls(
      given.store,
      Array.from({ length: 30 }, (_, index) => ({
        createdAt: BASE + index,
        outcome: index % 10 === 0 ? 'not_found' : 'gone',
      })),
    );
    const search = { outcome: 'not_found' };
    expect(await walk(given.store, search, { maxExamined: 4 })).toEqual({ times: [20, 10, 0], pages: 8 });
    const oldest = { createdAt: BASE, id: '00000000-0000-7000-8000-000000000000' };
    const place = { after: `${oldest.createdAt}.${oldest.id}` };
    const upwards = await searchCalls(given.store.db, { ...search, place, limit: 10 }, 4);
    expect([upwards.rows.map(({ createdAt }) => createdAt - BASE), upwards.newer]).toEqual([
      [0],
      expect.stringMatching(new RegExp(`^${BASE + 3}\\.`)),
    ]);
  });

  test('are found by row id and by request', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    await insertCalls(given.store, [
      { requestId: 'a', userId: user.id, partnerId: partner.id },
      { requestId: 'a' },
      { requestId: 'b' },
    ]);
    expect(await countCallsOfRequest(given.store.db, 'a', 10)).toBe(2);
    const { rows } = await searchCalls(given.store.db, { userId: user.id, place: {}, limit: 2 });
    expect(await findCall(given.store.db, rows[0]?.id ?? '')).toEqual(rows[0]);
    expect(rows[0]).toMatchObject({ partnerName: 'Acme', externalUserId: 'alice', clientId: null });
    expect(await findCall(given.store.db, 'x')).toBeUndefined();
  });

  test('of a request are found in the time after it began, even if its id has no time', async () => {
    const requestId = newId(BASE);
    await insertCalls(given.store, [
      { requestId, createdAt: BASE },
      { requestId, createdAt: BASE + 60_000, userId: 'bob' },
      { createdAt: BASE + 60_001 },
    ]);
    expect(await countCallsOfRequest(given.store.db, requestId, 10)).toBe(2);
    expect((await walk(given.store, { requestId })).times).toEqual([60_000, 0]);
    expect((await walk(given.store, { requestId, userId: 'bob' })).times).toEqual([60_000]);
    expect(await countCallsOfRequest(given.store.db, 'request', 10)).toBe(1);
  });

  test('are found by indexes, without a table scan', async () => {
    await insertCalls(
      given.store,
      Array.from({ length: 3000 }, (_, index) => ({
        ...{ createdAt: BASE + index, partnerId: `partner-${index % 100}`, userId: `user-${index % 500}` },
        ...{ service: `service-${index % 60}`, tool: `tool-${index % 900}`, requestId: `request-${index}` },
        outcome: index % 50 === 0 ? 'gone' : 'ok',
      })),
    );
    await sql`analyze`.execute(given.store.db);
    const uses: [string, CallSearch][] = [
      ['call_records_by_time', {}],
      ['call_records_by_time', { outcome: 'ok' }],
      ['call_records_of_request', { requestId: 'request-7' }],
      ['call_records_of_user', { userId: 'user-7', outcome: 'gone' }],
      ['call_records_failed', { outcome: 'failed' }],
      ['call_records_failed', { outcome: 'gone', service: 'service-7', tool: 'tool-7' }],
      ['call_records_by_tool', { tool: 'tool-7', partnerId: 'partner-7' }],
      ['call_records_of_service', { service: 'service-7' }],
      ['call_records_of_partner', { partnerId: 'partner-7' }],
    ];
    const onSqlite = (search: CallSearch) =>
      search.userId === undefined ? 'SEARCH r USING PRIMARY KEY (id' : 'call_records_by_user';
    for (const [ofPostgres, search] of uses) {
      const index = given.dialect === 'postgres' ? ofPostgres : onSqlite(search);
      const place = { before: `${BASE + 2900}.019a0000-0000-7000-8000-000000000000` };
      const plans = await plansOf(given.store, (db) => searchCalls(db, { ...search, place, limit: 10 }, 20));
      expect(plans.length).toBeGreaterThan(0);
      for (const plan of plans) {
        expect([search, plan]).toEqual([search, expect.stringContaining(index)]);
        expect([search, plan]).toEqual([search, expect.not.stringMatching(/Seq Scan on call_records|SCAN r"/)]);
      }
    }
  });
});

describeStore('connections for an operator', (given) => {
  test('are listed by service, status and partner, in both directions', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    const bob = await ensureUser(given.store.db, { partnerId: partner.id, externalUserId: 'bob', now: 3 });
    await connect(given.store, { userId: user.id, service: 'crm', now: 1 });
    await connect(given.store, { userId: user.id, service: 'mailer', status: 'attention', now: 2 });
    await connect(given.store, { userId: bob.id, service: 'mailer', now: 3 });
    const found = async (filter: Parameters<typeof searchConnections>[1]) =>
      (await searchConnections(given.store.db, filter, 10)).map((row) => `${row.externalUserId} ${row.service}`);
    expect(await found({})).toEqual(['bob mailer', 'alice mailer', 'alice crm']);
    expect(await found({ service: 'mailer', status: 'attention' })).toEqual(['alice mailer']);
    expect(await found({ partnerId: 'other' })).toEqual([]);
    const [, middle] = await searchConnections(given.store.db, {}, 10);
    expect(await found({ before: middle?.id ?? '' })).toEqual(['alice crm']);
    expect(await found({ after: middle?.id ?? '' })).toEqual(['bob mailer']);
  });
});
