import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Store } from '../../../../server/base/store/index.ts';
import {
  findLastCalls,
  listToolCallers,
  tallyCallsByName,
} from '../../../../server/base/store/reports/tool-callers.ts';
import { insertAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import type { CallRecord } from '../../../../server/base/store/repositories/call-records.ts';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { plansOf } from '../../../support/query-plans.ts';
import { describeStore } from './dialects.ts';
import { insertPartnerAndUser, tokenFor } from './fixtures.ts';

const BASE = 1_900_000_000_000;
const SPAN = { since: BASE, until: BASE + 1000 };

function insertCalls(store: Store, calls: readonly Partial<CallRecord>[]): Promise<void> {
  return store.insertCallRecords(
    calls.map((call) => ({
      createdAt: BASE,
      partnerId: 'gone',
      userId: 'removed',
      tokenId: 'token',
      service: 'mailer',
      tool: 'mailer_old',
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

describeStore('calls by a name', (given) => {
  test('are counted in a time span, with their users, for the requested names', async () => {
    await insertCalls(given.store, [
      {},
      { createdAt: BASE + 999, userId: 'other' },
      { userId: 'other', tool: 'mailer_older' },
      { tool: 'mailer_new' },
      { createdAt: BASE - 1 },
      { createdAt: BASE + 1000 },
    ]);
    const tallies = await tallyCallsByName(given.store.db, ['mailer_old', 'mailer_older', 'mailer_never'], SPAN);
    expect(tallies.sort((a, b) => b.calls - a.calls)).toEqual([
      { tool: 'mailer_old', calls: 2, users: 2 },
      { tool: 'mailer_older', calls: 1, users: 1 },
    ]);
    expect(await tallyCallsByName(given.store.db, [], SPAN)).toEqual([]);
  });

  test('have a last call, however long ago', async () => {
    await insertCalls(given.store, [{ createdAt: 5 }, { createdAt: 9 }, { createdAt: 7, tool: 'mailer_older' }]);
    const last = await findLastCalls(given.store.db, ['mailer_old', 'mailer_older', 'mailer_never']);
    expect(Object.fromEntries(last)).toEqual({ mailer_old: 9, mailer_older: 7 });
    expect(await findLastCalls(given.store.db, [])).toEqual(new Map());
  });

  test('are listed by partner, user and client, latest caller first', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    await insertClient(given.store.db, {
      clientId: 'client-1',
      clientName: 'Research Assistant',
      redirectUris: ['https://assistant.example/callback'],
      applicationType: 'web',
      secretHash: null,
      authenticationMethod: 'none',
      now: 100,
    });
    const of = { userId: user.id, scopes: ['tools:read'], services: null, resource: 'r', now: 110 };
    const grantId = await insertGrant(given.store.db, { clientId: 'client-1', ...of, expiresAt: 1000 });
    const granted = [];
    for (const tokenHash of ['a', 'b']) {
      granted.push(await insertAccessToken(given.store.db, tokenFor(user.id, { tokenHash, grantId })));
    }
    const minted = await insertAccessToken(given.store.db, tokenFor(user.id, { tokenHash: 'c' }));
    const who = { partnerId: partner.id, userId: user.id };
    await insertCalls(given.store, [
      { ...who, tokenId: granted[0]!, createdAt: BASE + 10 },
      { ...who, tokenId: granted[1]!, createdAt: BASE + 40 },
      { ...who, tokenId: minted, createdAt: BASE + 30 },
      { ...who, tokenId: 'purged', createdAt: BASE + 20 },
      { createdAt: BASE + 50 },
      { ...who, createdAt: BASE - 1 },
      { ...who, tool: 'mailer_new', createdAt: BASE + 60 },
    ]);
    const alice = { ...who, partnerName: 'Acme', externalUserId: 'alice', tool: 'mailer_old' };
    const nobody = { clientId: null, clientName: null };
    const client = { through: 'client', clientId: 'client-1', clientName: 'Research Assistant' };
    const callers = await listToolCallers(given.store.db, ['mailer_old'], SPAN, 10);
    expect(callers).toEqual([
      {
        ...{ tool: 'mailer_old', partnerId: 'gone', userId: 'removed', partnerName: null, externalUserId: null },
        ...{ ...nobody, through: 'ended', calls: 1, lastAt: BASE + 50 },
      },
      { ...alice, ...client, calls: 2, lastAt: BASE + 40 },
      { ...alice, ...nobody, through: 'minted', calls: 1, lastAt: BASE + 30 },
      { ...alice, ...nobody, through: 'ended', calls: 1, lastAt: BASE + 20 },
    ]);
    expect(await listToolCallers(given.store.db, ['mailer_old'], SPAN, 2)).toEqual(callers.slice(0, 2));
    expect(await listToolCallers(given.store.db, [], SPAN, 2)).toEqual([]);
  });

  test('are found by an index, without a table scan', async () => {
    const others = Array.from({ length: 5000 }, (_, index) => ({
      tool: 'mailer_new',
      createdAt: BASE + (index % 1000),
    }));
    await insertCalls(given.store, [{}, ...others]);
    if (given.dialect === 'postgres') await sql`analyze call_records`.execute(given.store.db);
    const index = given.dialect === 'postgres' ? 'call_records_by_tool' : 'call_records_by_time';
    const names = ['mailer_old', 'mailer_older'];
    for (const use of [
      (db: Store['db']) => tallyCallsByName(db, names, SPAN),
      (db: Store['db']) => findLastCalls(db, names),
      (db: Store['db']) => listToolCallers(db, names, SPAN, 10),
    ]) {
      const plans = await plansOf(given.store, use);
      const ofRecords = plans.filter((plan) => plan.includes('call_records'));
      expect(ofRecords).toHaveLength(1);
      expect(ofRecords[0]).toContain(index);
      expect(ofRecords[0]).not.toMatch(/Seq Scan on call_records|SCAN (r|call_records)\b/);
    }
  });
});
