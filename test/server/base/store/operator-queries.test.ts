import { expect, test } from 'vitest';
import type { Store } from '../../../../server/base/store/index.ts';
import { searchCalls } from '../../../../server/base/store/reports/call-search.ts';
import { countFailures, tallyCallsOverTime } from '../../../../server/base/store/reports/call-statistics.ts';
import { findClientsByText, findClientUse, listClients } from '../../../../server/base/store/reports/client-list.ts';
import {
  findConnection,
  findConnectionsByAccount,
  searchConnections,
} from '../../../../server/base/store/reports/connection-list.ts';
import {
  countConnections,
  countConnectionsOverTime,
  countTotals,
} from '../../../../server/base/store/reports/overview.ts';
import { sumUsage } from '../../../../server/base/store/reports/partner-usage.ts';
import { findNamedUser, searchUsers } from '../../../../server/base/store/reports/user-search.ts';
import type { CallRecord } from '../../../../server/base/store/repositories/call-records.ts';
import { countAccess } from '../../../../server/base/store/repositories/live-access.ts';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { insertTestPartner, listPartners } from '../../../../server/base/store/repositories/partners.ts';
import { insertRefreshToken } from '../../../../server/base/store/repositories/refresh-tokens.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { describeStore } from './dialects.ts';
import { connect, insertPartnerAndUser } from './fixtures.ts';

const DAY = 86_400_000;

async function insertUsedClient({ db }: Store, clientId: string, users: readonly string[]): Promise<string[]> {
  await insertClient(db, {
    clientId,
    clientName: `Name of ${clientId}`,
    redirectUris: [`https://${clientId}.example/callback`],
    applicationType: 'web',
    secretHash: null,
    authenticationMethod: 'none',
    now: 1,
  });
  const grants: string[] = [];
  for (const userId of users) {
    const grant = { clientId, userId, scopes: ['tools:read'], services: null, resource: 'r' };
    grants.push(await insertGrant(db, { ...grant, now: 2, expiresAt: 9 * DAY }));
  }
  return grants;
}

function insertCalls(store: Store, call: Partial<CallRecord>, outcomes: readonly string[]): Promise<void> {
  const records = outcomes.map((outcome) => ({
    createdAt: DAY,
    partnerId: 'partner',
    userId: 'user',
    tokenId: 'token',
    service: 'crm',
    tool: 'crm_find',
    upstreamStatus: null,
    upstreamCode: null,
    durationMs: 1,
    requestBytes: 1,
    responseBytes: 1,
    requestId: 'request',
    ...call,
    outcome,
  }));
  return store.insertCallRecords(records);
}

describeStore('what operators ask', (given) => {
  test('a client was last used when it got tokens or called, and its calls are counted by category', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const [grantId = ''] = await insertUsedClient(given.store, 'one', [user.id]);
    await insertUsedClient(given.store, 'idle', [user.id]);
    const useOf = (clientId: string) => findClientUse(given.store.db, clientId, DAY);
    const none = { calls: 0, failed: 0, waiting: 0, isCut: false };
    expect(await useOf('one')).toEqual({ lastUsedAt: null, ...none });
    await insertRefreshToken(given.store.db, { tokenHash: 'h', grantId, now: 5, expiresAt: DAY });
    expect(await useOf('one')).toEqual({ lastUsedAt: 5, ...none });
    await insertCalls(given.store, { grantId, userId: user.id }, [
      'ok',
      'not_found',
      'needs_approval',
      'awaiting_approval',
      'ok',
    ]);
    await insertCalls(given.store, { grantId, userId: user.id, createdAt: DAY - 1 }, ['ok']);
    expect(await useOf('one')).toEqual({ lastUsedAt: DAY, calls: 5, failed: 1, waiting: 2, isCut: false });
    expect(await useOf('idle')).toEqual({ lastUsedAt: null, ...none });
  });

  test('figures tell failed calls from those that wait', async () => {
    const { db } = given.store;
    await insertCalls(given.store, {}, ['ok', 'not_found', 'awaiting_approval', 'needs_approval']);
    const span = { since: DAY, until: 2 * DAY };
    expect(await tallyCallsOverTime(db, span, 1)).toMatchObject([{ calls: 4, failed: 1, waiting: 2 }]);
    expect(await countFailures(db, span, 9)).toEqual([{ service: 'crm', outcome: 'not_found', calls: 1 }]);
    const sums = await sumUsage(db, { partnerId: 'partner', span, by: ['day'] }, 9);
    expect(sums).toMatchObject([{ calls: 4, failed: 1, waiting: 2 }]);
    const outcomesOf = async (outcome: string) =>
      (await searchCalls(db, { outcome, place: {}, limit: 9 })).rows.map((row) => row.outcome).toSorted();
    expect(await outcomesOf('failed')).toEqual(['not_found']);
    expect(await outcomesOf('waiting')).toEqual(['awaiting_approval', 'needs_approval']);
    expect(await outcomesOf('needs_approval')).toEqual(['needs_approval']);
  });

  test('clients are found by what they say of themselves, and calls by client', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const [grantId = ''] = await insertUsedClient(given.store, 'one', [user.id]);
    await insertUsedClient(given.store, 'two', []);
    const found = async (text: string) =>
      (await findClientsByText(given.store.db, { text, limit: 9 })).map(({ clientId }) => clientId).toSorted();
    expect(await found('NAME OF')).toEqual(['one', 'two']);
    expect(await found('two.example')).toEqual(['two']);
    expect(await found('%')).toEqual([]);
    await insertCalls(given.store, { grantId }, ['ok', 'ok']);
    await insertCalls(given.store, {}, ['ok']);
    const callsOf = async (clientId: string) =>
      (await searchCalls(given.store.db, { clientId, place: {}, limit: 9 })).rows.length;
    expect([await callsOf('one'), await callsOf('two')]).toEqual([2, 0]);
  });

  test('connections are found by the beginning of their account, of any case alike, and by id', async () => {
    const { db } = given.store;
    const { user } = await insertPartnerAndUser(given.store);
    const id = await connect(given.store, { userId: user.id, service: 'crm' });
    const other = await connect(given.store, { userId: user.id, service: 'billing' });
    await db.updateTable('connections').set({ account: 'maya@acme' }).where('id', '=', id).execute();
    await db.updateTable('connections').set({ account: 'Zoe' }).where('id', '=', other).execute();
    const found = async (prefix: string) =>
      (await findConnectionsByAccount(db, prefix, 9)).map(({ account }) => account);
    expect([await found('maya'), await found('Z'), await found('acme'), await found('')]).toEqual([
      ['maya@acme'],
      ['Zoe'],
      [],
      ['Zoe', 'maya@acme'],
    ]);
    expect(await findConnection(db, id)).toMatchObject({ account: 'maya@acme', service: 'crm', testOf: null });
  });

  test('everything is counted and listed by realm', async () => {
    const { db } = given.store;
    const { partner, user } = await insertPartnerAndUser(given.store);
    const testPartner = await insertTestPartner(db, partner.id, 3);
    const tester = await ensureUser(db, { partnerId: testPartner, externalUserId: 'tester', now: 4 });
    for (const [userId, count] of [[user.id, 1] as const, [tester.id, 2] as const]) {
      for (const service of ['crm', 'billing'].slice(0, count))
        await connect(given.store, { userId, service, now: DAY });
    }
    await insertUsedClient(given.store, 'live', [user.id]);
    await insertUsedClient(given.store, 'mixed', [user.id, tester.id]);
    await insertCalls(given.store, { partnerId: partner.id }, ['ok']);
    await insertCalls(given.store, { partnerId: testPartner }, ['ok', 'gone']);
    await insertCalls(given.store, { partnerId: 'removed' }, ['gone']);
    const now = 3 * DAY;
    const countsOf = async (realm: 'live' | 'test') => {
      const span = { since: DAY, until: 2 * DAY, realm };
      return {
        totals: Object.values(await countTotals(db, now, realm)),
        grants: (await countAccess(db, { realm }, now)).grants,
        partners: (await listPartners(db, 9, { realm })).length,
        users: (await searchUsers(db, { realm }, 9)).length,
        connections: (await searchConnections(db, { realm }, 9)).length,
        connectionSum: (await countConnections(db, realm)).reduce((sum, { connections }) => sum + connections, 0),
        connectionsOverTime: await countConnectionsOverTime(db, span, 1),
        clients: (await listClients(db, { now, limit: 9, realm })).map(({ clientId }) => clientId),
        calls: (await searchCalls(db, { realm, place: {}, limit: 9 })).rows.length,
        tally: (await tallyCallsOverTime(db, span, 1)).map(({ calls, failed }) => [calls, failed]),
      };
    };
    expect(await countsOf('live')).toEqual({
      totals: [1, 2],
      grants: 2,
      partners: 1,
      users: 1,
      connections: 1,
      connectionSum: 1,
      connectionsOverTime: [1],
      clients: ['mixed', 'live'],
      calls: 2,
      tally: [[2, 1]],
    });
    expect(await countsOf('test')).toEqual({
      totals: [1, 1],
      grants: 1,
      partners: 1,
      users: 1,
      connections: 2,
      connectionSum: 2,
      connectionsOverTime: [2],
      clients: ['mixed'],
      calls: 2,
      tally: [[2, 1]],
    });
    expect(await findNamedUser(db, tester.id)).toMatchObject({ externalUserId: 'tester', testOf: partner.id });
    expect((await listClients(db, { now, limit: 9 })).map((row) => [row.liveGrants, row.testGrants])).toEqual([
      [2, 1],
      [1, 0],
    ]);
  });
});
