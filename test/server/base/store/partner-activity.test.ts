import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Store } from '../../../../server/base/store/index.ts';
import { durationQuantile } from '../../../../server/base/store/reports/call-statistics.ts';
import { listPartnerClients } from '../../../../server/base/store/reports/client-list.ts';
import { type CallFilter, listPartnerCalls } from '../../../../server/base/store/reports/partner-calls.ts';
import { sumUsage } from '../../../../server/base/store/reports/partner-usage.ts';
import { searchUsers } from '../../../../server/base/store/reports/user-search.ts';
import type { CallRecord } from '../../../../server/base/store/repositories/call-records.ts';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant, revokeGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { plansOf } from '../../../support/query-plans.ts';
import { describeStore } from './dialects.ts';
import { insertPartnerAndUser } from './fixtures.ts';

const DAY_MS = 86_400_000;
const BASE = Date.UTC(2030, 0, 15);
const SPAN = { since: BASE, until: BASE + 10 * DAY_MS };

function insertCalls(store: Store, calls: readonly Partial<CallRecord>[]): Promise<void> {
  return store.insertCallRecords(
    calls.map((call) => ({
      createdAt: BASE,
      partnerId: 'acme',
      userId: 'alice',
      tokenId: 'token',
      service: 'mailer',
      tool: 'mailer_send',
      outcome: 'ok',
      upstreamStatus: 200,
      upstreamCode: null,
      durationMs: 45,
      requestBytes: 10,
      responseBytes: 20,
      requestId: 'request',
      ...call,
    })),
  );
}

async function walk(store: Store, filter: Partial<CallFilter>, limit: number, maxExamined?: number) {
  const times: number[] = [];
  let pages = 0;
  let after: CallFilter['after'];
  for (;;) {
    const whole = { partnerId: 'acme', span: SPAN, ...filter, ...(after === undefined ? {} : { after }) };
    const { calls, next } = await listPartnerCalls(store.db, whole, limit, maxExamined);
    times.push(...calls.map(({ createdAt }) => createdAt - BASE));
    pages += 1;
    if (next === null) return { times, pages };
    after = next;
  }
}

const ON_SQLITE: Readonly<Record<string, string>> = {
  call_records_of_partner: 'SEARCH r USING PRIMARY KEY (id',
  call_records_of_user: 'call_records_by_user',
};

describeStore("a partner's calls", (given) => {
  test('are listed newest first, page by page, each once, even if many share a time', async () => {
    const calls = Array.from({ length: 25 }, (_, index) => ({ createdAt: BASE + Math.floor(index / 5) }));
    await insertCalls(given.store, [...calls, { partnerId: 'other' }, { createdAt: BASE - 1 }]);
    const { times, pages } = await walk(given.store, {}, 7);
    expect([times, pages]).toEqual([calls.map(({ createdAt }) => createdAt - BASE).reverse(), 4]);
    expect((await walk(given.store, {}, 25)).pages).toBe(1);
  });

  test('are selected by user, service, tool, outcome and time', async () => {
    await insertCalls(given.store, [
      { createdAt: BASE + 1, userId: 'bob' },
      { createdAt: BASE + 2, service: 'crm' },
      { createdAt: BASE + 3, tool: 'mailer_list' },
      { createdAt: BASE + 4, outcome: 'not_found' },
    ]);
    const times = async (filter: Partial<CallFilter>) => (await walk(given.store, filter, 10)).times;
    expect(await times({ userId: 'bob' })).toEqual([1]);
    expect(await times({ service: 'crm' })).toEqual([2]);
    expect(await times({ tool: 'mailer_list' })).toEqual([3]);
    expect(await times({ outcome: 'not_found' })).toEqual([4]);
    expect(await times({ span: { since: BASE + 2, until: BASE + 4 } })).toEqual([3, 2]);
  });

  test('are read in bounded numbers, whatever matches', async () => {
    const calls = Array.from({ length: 30 }, (_, index) => ({
      createdAt: BASE + Math.floor(index / 3),
      outcome: index % 15 === 0 ? 'not_found' : 'ok',
    }));
    await insertCalls(given.store, calls);
    expect(await walk(given.store, { outcome: 'not_found' }, 10, 4)).toEqual({ times: [5, 0], pages: 8 });
    expect(await walk(given.store, { outcome: 'gone' }, 10, 15)).toEqual({ times: [], pages: 3 });
  });

  test('are summed by day, service, tool and outcome, page by page', async () => {
    await insertCalls(given.store, [
      { durationMs: 3 },
      { durationMs: 3 },
      { createdAt: BASE + 5, durationMs: 900_000, outcome: 'upstream_timeout' },
    ]);
    await insertCalls(given.store, [{ durationMs: 3 }, { createdAt: BASE + DAY_MS, tool: 'mailer_list' }]);
    await insertCalls(given.store, [{ partnerId: 'other' }, { createdAt: BASE - 1 }, { createdAt: SPAN.until }]);
    const of = { partnerId: 'acme', span: SPAN };
    const days = await sumUsage(given.store.db, { ...of, by: ['day'] }, 10);
    expect(days).toMatchObject([
      { group: { day: BASE }, calls: 4, failed: 1 },
      { group: { day: BASE + DAY_MS }, calls: 1, failed: 0 },
    ]);
    expect(days.map((day) => durationQuantile(day, 0.5))).toEqual([3, 45]);
    const by = ['day', 'service', 'tool', 'outcome'] as const;
    const [first, ...rest] = await sumUsage(given.store.db, { ...of, by }, 10);
    expect(first?.group).toEqual({ day: BASE, service: 'mailer', tool: 'mailer_send', outcome: 'ok' });
    expect(await sumUsage(given.store.db, { ...of, by, after: first!.group }, 10)).toEqual(rest);
    expect(rest.map(({ calls }) => calls)).toEqual([1, 1]);
    expect(await sumUsage(given.store.db, { ...of, by: ['outcome'], tool: 'mailer_list' }, 10)).toMatchObject([
      { group: { outcome: 'ok' }, calls: 1 },
    ]);
  });

  test('are added up by concurrent writers without loss', async () => {
    const batch = Array.from({ length: 20 }, (_, index) => ({ tool: `tool_${index % 5}`, durationMs: index }));
    await Promise.all(
      [batch, batch.toReversed(), batch, batch.toReversed()].map((one) => insertCalls(given.store, one)),
    );
    const [sum] = await sumUsage(given.store.db, { partnerId: 'acme', span: SPAN, by: ['service'] }, 10);
    expect(sum?.calls).toBe(80);
  });

  test('and users are found by indexes, without a table scan', async () => {
    const { partner } = await insertPartnerAndUser(given.store);
    const large = await insertPartner(given.store.db, { clientId: 'large', name: 'Large', now: 1 });
    for (let index = 0; index < 600; index += 1) {
      const partnerId = index % 100 === 0 ? partner.id : large.id;
      await ensureUser(given.store.db, { partnerId, externalUserId: `user-${index}`, now: index });
    }
    await insertCalls(
      given.store,
      Array.from({ length: 3000 }, (_, index) => ({
        createdAt: BASE + (index % 400) * (DAY_MS / 10),
        partnerId: `partner-${index % 100}`,
        userId: `user-${index % 500}`,
        tool: `tool-${index}`,
      })),
    );
    for (const table of ['call_records', 'call_tallies', 'users']) {
      await sql`analyze ${sql.table(table)}`.execute(given.store.db);
    }
    const after = { createdAt: BASE + 5 * DAY_MS, id: '019a0000-0000-7000-8000-000000000000' };
    const of = { partnerId: 'partner-7', span: SPAN, after };
    const uses: [string, Parameters<typeof plansOf>[1]][] = [
      ['call_records_of_partner', (db) => listPartnerCalls(db, of, 50)],
      ['call_records_of_partner', (db) => listPartnerCalls(db, { ...of, outcome: 'ok' }, 50)],
      ['call_records_of_user', (db) => listPartnerCalls(db, { ...of, userId: 'user-7' }, 50)],
      ['call_tallies_of_partner', (db) => sumUsage(db, { ...of, by: ['day'], after: { day: BASE } }, 50)],
      ['users_of_partner_by_age', (db) => searchUsers(db, { partnerId: partner.id, before: 'f' }, 5)],
    ];
    for (const [ofPostgres, use] of uses) {
      const index = given.dialect === 'sqlite' ? (ON_SQLITE[ofPostgres] ?? ofPostgres) : ofPostgres;
      const plans = await plansOf(given.store, use);
      expect(plans.length).toBeGreaterThan(0);
      for (const plan of plans) {
        expect(plan).toContain(index);
        expect(plan).not.toMatch(/Seq Scan on call|SCAN (r|call_tallies|u)\b/);
      }
    }
  });
});

describeStore('clients of a partner', (given) => {
  test('are those with valid grants of its users, by id, page by page', async () => {
    const { db } = given.store;
    const { partner, user } = await insertPartnerAndUser(given.store);
    const bob = await ensureUser(db, { partnerId: partner.id, externalUserId: 'bob', now: 3 });
    const grant = (clientId: string, userId: string, now: number) =>
      insertGrant(db, { clientId, userId, scopes: [], services: null, resource: 'r', now, expiresAt: 1000 });
    for (const clientId of ['client-1', 'client-2', 'client-3']) {
      const method = { secretHash: null, authenticationMethod: 'none', applicationType: 'web' } as const;
      await insertClient(db, {
        clientId,
        clientName: 'Claude',
        redirectUris: ['https://a.example/b'],
        ...method,
        now: 1,
      });
    }
    await grant('client-1', user.id, 10);
    await grant('client-1', bob.id, 30);
    await grant('client-3', user.id, 20);
    await revokeGrant(db, await grant('client-2', user.id, 20), { reason: 'revoked-by-user', now: 21 });
    const options = { partnerId: partner.id, now: 100, limit: 1 };
    const shared = { clientName: 'Claude', redirectUris: ['https://a.example/b'] };
    expect(await listPartnerClients(db, options)).toEqual([
      { clientId: 'client-1', ...shared, grants: 2, users: 2, allowedAt: 30 },
    ]);
    expect(await listPartnerClients(db, { ...options, after: 'client-1' })).toEqual([
      { clientId: 'client-3', ...shared, grants: 1, users: 1, allowedAt: 20 },
    ]);
    expect(await listPartnerClients(db, { ...options, partnerId: 'other' })).toEqual([]);
  });
});
