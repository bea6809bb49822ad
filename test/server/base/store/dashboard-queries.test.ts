import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { emit } from '../../../../server/base/store/events.ts';
import type { Store } from '../../../../server/base/store/index.ts';
import {
  countFailures,
  durationQuantile,
  tallyCallsByTool,
  tallyCallsOverTime,
} from '../../../../server/base/store/reports/call-statistics.ts';
import { deleteClient, listClients } from '../../../../server/base/store/reports/client-list.ts';
import {
  countConnections,
  countConnectionsOverTime,
  countTotals,
} from '../../../../server/base/store/reports/overview.ts';
import {
  findUsersByPrefix,
  listUnredeemedServices,
  listUserCalls,
  listUsersOfService,
  listWaitingFlows,
  searchUsers,
} from '../../../../server/base/store/reports/user-search.ts';
import { insertAccessToken, listUserTokens } from '../../../../server/base/store/repositories/access-tokens.ts';
import type { CallRecord } from '../../../../server/base/store/repositories/call-records.ts';
import { insertConnectionAttempt } from '../../../../server/base/store/repositories/connection-attempts.ts';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant, listUserGrants, revokeGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { listAuditEventTypes, searchAuditEvents } from '../../../../server/modules/audit/search.ts';
import { describeStore } from './dialects.ts';
import { connect, insertPartnerAndUser, tokenFor } from './fixtures.ts';

const CALL: CallRecord = {
  createdAt: 0,
  partnerId: 'partner',
  userId: 'user',
  tokenId: 'token',
  service: 'retrieval',
  tool: 'retrieval_retrieve',
  outcome: 'ok',
  upstreamStatus: 200,
  upstreamCode: null,
  durationMs: 45,
  requestBytes: 10,
  responseBytes: 20,
  requestId: 'request',
};

const BASE = 1_900_000_000_000;

function insertCalls(store: Store, calls: readonly Partial<CallRecord>[]): Promise<void> {
  return store.insertCallRecords(calls.map((call) => ({ ...CALL, ...call })));
}

async function insertUsedClient(store: Store, userId: string, clientId = 'client-1') {
  await insertClient(store.db, {
    clientId,
    clientName: 'Research Assistant',
    redirectUris: ['https://assistant.example/callback'],
    applicationType: 'web',
    secretHash: null,
    authenticationMethod: 'none',
    now: 100,
  });
  return insertGrant(store.db, {
    clientId,
    userId,
    scopes: ['tools:read'],
    services: ['retrieval', 'crm'],
    resource: 'r',
    now: 110,
    expiresAt: 1000,
  });
}

describeStore('statistics of call records', (given) => {
  test('time slices have calls, errors and durations; empty ones are included', async () => {
    await insertCalls(given.store, [
      { createdAt: BASE },
      { createdAt: BASE + 999, outcome: 'upstream_error', durationMs: 2500 },
      { createdAt: BASE + 2000, durationMs: 45 },
      { createdAt: BASE + 3000 },
      { createdAt: BASE - 1 },
    ]);
    const slices = await tallyCallsOverTime(given.store.db, { since: BASE, until: BASE + 3000 }, 3);
    expect(slices.map(({ calls, failed }) => [calls, failed])).toEqual([
      [2, 1],
      [0, 0],
      [1, 0],
    ]);
    expect(slices.map((slice) => durationQuantile(slice, 0.5))).toEqual([50, null, 45]);
    expect(durationQuantile(slices[0]!, 0.95)).toBe(2900);
  });

  test('time slices without calls are empty', async () => {
    const slices = await tallyCallsOverTime(given.store.db, { since: BASE, until: BASE + 1000 }, 2);
    expect(slices.map(({ calls }) => calls)).toEqual([0, 0]);
  });

  test('tools are sorted by number of calls', async () => {
    await insertCalls(given.store, [
      { createdAt: BASE, tool: 'a' },
      { createdAt: BASE, tool: 'b' },
      { createdAt: BASE, tool: 'b', outcome: 'timeout', durationMs: 999_999 },
    ]);
    const tools = await tallyCallsByTool(given.store.db, { since: BASE, until: BASE + 1 });
    expect(tools.map(({ tool, calls, failed }) => [tool, calls, failed])).toEqual([
      ['b', 2, 1],
      ['a', 1, 0],
    ]);
    expect(durationQuantile(tools[0]!, 0.99)).toBeGreaterThan(120_000);
  });

  test('failures are grouped by service and outcome', async () => {
    await insertCalls(given.store, [
      { createdAt: BASE },
      { createdAt: BASE, outcome: 'timeout' },
      { createdAt: BASE, outcome: 'not_found', service: 'crm' },
      { createdAt: BASE, outcome: 'not_found', service: 'crm' },
    ]);
    expect(await countFailures(given.store.db, { since: BASE, until: BASE + 1 }, 5)).toEqual([
      { service: 'crm', outcome: 'not_found', calls: 2 },
      { service: 'retrieval', outcome: 'timeout', calls: 1 },
    ]);
  });
});

describeStore('totals', (given) => {
  test('are counted', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await insertUsedClient(given.store, user.id);
    expect(await countTotals(given.store.db, 5)).toEqual({ users: 1, clients: 1 });
  });

  test('count connections by service and status, and by creation time', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    const other = await ensureUser(given.store.db, { partnerId: partner.id, externalUserId: 'bob', now: 3 });
    await connect(given.store, { userId: user.id, service: 'crm', now: BASE - 5 });
    await connect(given.store, { userId: user.id, service: 'retrieval', now: BASE + 1500 });
    await connect(given.store, { userId: other.id, service: 'retrieval', now: BASE + 2500, status: 'attention' });
    expect(await countConnections(given.store.db)).toEqual([
      { service: 'crm', status: 'active', connections: 1 },
      { service: 'retrieval', status: 'active', connections: 1 },
      { service: 'retrieval', status: 'attention', connections: 1 },
    ]);
    expect(await countConnectionsOverTime(given.store.db, { since: BASE, until: BASE + 3000 }, 3)).toEqual([1, 2, 3]);
  });
});

describeStore('the audit trail', (given) => {
  test('is read newest first, page by page, with the names of users, partners and clients', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    const of = { partnerId: partner.id, userId: user.id };
    await emit(given.store.db, { type: 'partner_added', now: 1, partnerId: partner.id });
    await emit(given.store.db, { type: 'consent_given', now: 2, ...of, address: '192.0.2.1' });
    await emit(given.store.db, { type: 'tokens_issued', now: 3, ...of, userId: 'gone' });
    const newest = await searchAuditEvents(given.store.db, {}, 2);
    expect(newest.map(({ type, externalUserId }) => [type, externalUserId])).toEqual([
      ['tokens_issued', null],
      ['consent_given', 'alice'],
    ]);
    expect(newest[1]).toMatchObject({ partnerClientId: 'acme', address: '192.0.2.1', details: {} });
    const older = await searchAuditEvents(given.store.db, { before: newest[1]!.id }, 2);
    expect(older.map(({ type }) => type)).toEqual(['partner_added']);
    expect(await listAuditEventTypes(given.store.db)).toEqual(['consent_given', 'partner_added', 'tokens_issued']);
  });

  test.each([
    ['a type', { type: 'consent_given' }, 1],
    ['a text in the details, in any case', { text: 'BERLIN' }, 1],
    ['a name of a user', { text: 'lic' }, 1],
    ['a percent sign, which is not a wildcard', { text: '%' }, 0],
    ['an underscore, which is not a wildcard', { text: 'a_ice' }, 0],
    ['a backslash', { text: '\\' }, 0],
    ['a time', { since: 2, until: 3 }, 1],
    ['a client', { clientId: 'nobody' }, 0],
  ])('is filtered by %s', async (_, filter, found) => {
    const { user } = await insertPartnerAndUser(given.store);
    await emit(given.store.db, { type: 'consent_given', now: 2, userId: user.id });
    await emit(given.store.db, { type: 'consent_denied', now: 3, details: { office: 'Berlin' } });
    expect(await searchAuditEvents(given.store.db, filter, 10)).toHaveLength(found);
  });
});

describeStore('users and clients for an operator', (given) => {
  test('users are found by the beginning of their name, however the database sorts texts', async () => {
    const { db } = given.store;
    if (given.dialect === 'postgres') {
      // It sorts names of other cases, and with other signs, between those with the prefix.
      await sql`alter table users alter column external_user_id type text collate "en-US-x-icu"`.execute(db);
    }
    const { partner } = await insertPartnerAndUser(given.store);
    const names = Array.from({ length: 150 }, (_, index) => [`Us${index}`, `us-${index}`, `us${index}`]).flat();
    for (const externalUserId of ['us-zoe', 'us-\u{10ffff}', 'ut', ...names]) {
      await ensureUser(db, { partnerId: partner.id, externalUserId, now: BASE });
    }
    const namesFrom = async (prefix: string, limit: number) =>
      (await findUsersByPrefix(db, prefix, limit)).map(({ externalUserId }) => externalUserId);
    expect(await namesFrom('us-z', 10)).toEqual(['us-zoe']);
    expect((await namesFrom('us-', 1000)).length).toBe(152);
    expect(await namesFrom('us-', 2)).toEqual(['us-0', 'us-1']);
    expect(await namesFrom('us-nobody', 10)).toEqual([]);
  });

  test('users are found by part of their name, with their number of connections', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    await ensureUser(given.store.db, { partnerId: partner.id, externalUserId: 'bob', now: 3 });
    await connect(given.store, { userId: user.id, service: 'crm', status: 'attention' });
    const [found, ...more] = await searchUsers(given.store.db, { text: 'ALI', partnerId: partner.id }, 10);
    expect(found).toMatchObject({ externalUserId: 'alice', partnerName: 'Acme', active: 0, attention: 1 });
    expect(more).toEqual([]);
    expect(await searchUsers(given.store.db, { before: user.id }, 10)).toEqual([]);
    expect(await searchUsers(given.store.db, {}, 10)).toHaveLength(2);
  });

  test("a user's tokens show when they or their grant ended", async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const grantId = await insertUsedClient(given.store, user.id);
    await insertAccessToken(given.store.db, tokenFor(user.id, { tokenHash: 'a', services: ['crm'] }));
    await insertAccessToken(given.store.db, tokenFor(user.id, { tokenHash: 'b', grantId, now: 120 }));
    await revokeGrant(given.store.db, grantId, { reason: 'revoked-by-client', now: 130 });
    const [ofGrant, own] = await listUserTokens(given.store.db, user.id, 10);
    expect(ofGrant).toMatchObject({ clientName: 'Research Assistant', revokedAt: 130, services: null });
    expect(own).toMatchObject({ grantId: null, revokedAt: null, services: ['crm'] });
    expect(await listUserGrants(given.store.db, user.id, 10)).toMatchObject([
      { id: grantId, services: ['retrieval', 'crm'], revokedReason: 'revoked-by-client' },
    ]);
  });

  test('unredeemed connect flows are listed by service, and users by their connections', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    const of = {
      partnerId: partner.id,
      externalUserId: 'alice',
      redirectUri: 'r',
      sessionId: null,
      sealedCredential: null,
    };
    for (const [id, service] of [['1', 'crm'] as const, ['2', 'crm'] as const, ['3', 'billing'] as const]) {
      await insertConnectionAttempt(given.store.db, { id, service, ...of, codeHash: id, now: 1, expiresAt: 9 });
    }
    const flow = { partnerId: partner.id, externalUserId: 'alice' };
    expect(await listUnredeemedServices(given.store.db, flow)).toEqual(['billing', 'crm']);
    expect(await listUnredeemedServices(given.store.db, { ...flow, externalUserId: 'bob' })).toEqual([]);
    expect(await listWaitingFlows(given.store.db, { text: 'LIC', partnerId: partner.id }, 1)).toEqual([
      { ...flow, id: '3', partnerName: 'Acme', testOf: null, service: 'billing', createdAt: 1, expiresAt: 9 },
    ]);
    expect(await listWaitingFlows(given.store.db, { text: 'bob' }, 9)).toEqual([]);
    expect(await listUsersOfService(given.store.db, 'crm', 10)).toEqual([]);
    await connect(given.store, { userId: user.id, service: 'crm' });
    expect(await listUsersOfService(given.store.db, 'crm', 10)).toEqual([
      { id: user.id, externalUserId: 'alice', partnerName: 'Acme', testOf: null },
    ]);
  });

  test("a user's calls are listed newest first", async () => {
    await insertCalls(given.store, [
      { createdAt: 1 },
      { createdAt: 2, tool: 'late' },
      { createdAt: 3, userId: 'other' },
    ]);
    expect((await listUserCalls(given.store.db, 'user', 10)).map(({ tool }) => tool)).toEqual([
      'late',
      'retrieval_retrieve',
    ]);
  });

  test('removing a client removes its grants and their tokens', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const grantId = await insertUsedClient(given.store, user.id);
    await insertAccessToken(given.store.db, tokenFor(user.id, { grantId }));
    expect(await listClients(given.store.db, { now: 500, limit: 10, text: 'ASSISTANT.example' })).toMatchObject([
      {
        clientId: 'client-1',
        liveGrants: 1,
        confidential: false,
        redirectUris: ['https://assistant.example/callback'],
      },
    ]);
    expect(await listClients(given.store.db, { now: 500, limit: 10, before: '100 ' })).toEqual([]);
    expect(await deleteClient(given.store.db, 'client-1')).toBe(true);
    expect(await deleteClient(given.store.db, 'client-1')).toBe(false);
    expect(await given.store.findAccessToken('hash')).toBeUndefined();
  });
});
