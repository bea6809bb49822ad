import { expect, test } from 'vitest';
import { insertAccessToken, revokeAccessToken } from '../../../server/store/repositories/access-tokens.ts';
import { type CallRecord, insertCallRecords } from '../../../server/store/repositories/call-records.ts';
import {
  changeConnectionStatus,
  deleteConnection,
  ensureConnection,
  findConnection,
  listConnections,
  updateConnection,
} from '../../../server/store/repositories/connections.ts';
import {
  findPartner,
  findPartnerByClientId,
  insertPartner,
  listPartners,
} from '../../../server/store/repositories/partners.ts';
import {
  deleteUser,
  ensureUser,
  findUser,
  findUsersByExternalId,
  listUsers,
} from '../../../server/store/repositories/users.ts';
import type { ConnectionStatus } from '../../../server/store/schema.ts';
import { isUniqueViolation } from '../../../server/store/unique-violation.ts';
import { describeStore } from './dialects.ts';
import { insertPartnerAndUser, tokenFor } from './fixtures.ts';

describeStore('partners and users', (given) => {
  test('a partner is found by id and by client id', async () => {
    const partner = await insertPartner(given.store.db, { clientId: 'acme', name: 'Acme', now: 7 });
    expect(partner).toMatchObject({ clientId: 'acme', name: 'Acme', createdAt: 7 });
    expect(await findPartner(given.store.db, partner.id)).toEqual(partner);
    expect(await findPartnerByClientId(given.store.db, 'acme')).toEqual(partner);
    expect(await findPartnerByClientId(given.store.db, 'ACME')).toBeUndefined();
  });

  test('a client id is taken once', async () => {
    await insertPartner(given.store.db, { clientId: 'acme', name: 'Acme', now: 1 });
    await expect(insertPartner(given.store.db, { clientId: 'acme', name: 'Other', now: 1 })).rejects.toSatisfy(
      isUniqueViolation,
    );
    expect(await listPartners(given.store.db, 10)).toHaveLength(1);
  });

  test('a hundred simultaneous callers get the same new user', async () => {
    const { partner } = await insertPartnerAndUser(given.store);
    const users = await Promise.all(
      Array.from({ length: 100 }, () =>
        ensureUser(given.store.db, { partnerId: partner.id, externalUserId: 'bob', now: 3 }),
      ),
    );
    expect(new Set(users.map((user) => user.id)).size).toBe(1);
  });

  test('the same name under two partners is two users', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    const other = await insertPartner(given.store.db, { clientId: 'other', name: 'Other', now: 1 });
    const namesake = await ensureUser(given.store.db, { partnerId: other.id, externalUserId: 'alice', now: 3 });
    expect(namesake.id).not.toBe(user.id);
    expect(await findUsersByExternalId(given.store.db, 'alice')).toHaveLength(2);
    expect(await findUser(given.store.db, { partnerId: partner.id, externalUserId: 'alice' })).toEqual(user);
    expect(await listUsers(given.store.db, { partnerId: other.id, limit: 10 })).toEqual([namesake]);
    expect(await listUsers(given.store.db, { limit: 1 })).toHaveLength(1);
  });

  test('a deleted user takes connections and access tokens along', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await ensureConnection(given.store.db, { userId: user.id, service: 'retrieval', now: 3 });
    await insertAccessToken(given.store.db, tokenFor(user.id));
    expect(await deleteUser(given.store.db, user.id)).toBe(true);
    expect(await deleteUser(given.store.db, user.id)).toBe(false);
    expect(await findConnection(given.store.db, user.id, 'retrieval')).toBeUndefined();
    expect(await given.store.findAccessToken('hash')).toBeUndefined();
  });
});

describeStore('connections', (given) => {
  test('a new connection is pending and has no credential', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const connection = await ensureConnection(given.store.db, { userId: user.id, service: 'retrieval', now: 3 });
    expect(connection).toEqual({
      id: expect.any(String),
      userId: user.id,
      service: 'retrieval',
      status: 'pending',
      sealedCredential: null,
      createdAt: 3,
      updatedAt: 3,
    });
  });

  test('a hundred simultaneous callers get the same connection', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const connections = await Promise.all(
      Array.from({ length: 100 }, (_, now) =>
        ensureConnection(given.store.db, { userId: user.id, service: 'crm', now }),
      ),
    );
    expect(new Set(connections.map((connection) => connection.id)).size).toBe(1);
    expect(await listConnections(given.store.db, user.id)).toHaveLength(1);
  });

  test('credential and status change together', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const { id } = await ensureConnection(given.store.db, { userId: user.id, service: 'crm', now: 3 });
    await updateConnection(given.store.db, id, { sealedCredential: 'sealed', status: 'active', now: 9 });
    expect(await findConnection(given.store.db, user.id, 'crm')).toMatchObject({
      sealedCredential: 'sealed',
      status: 'active',
      createdAt: 3,
      updatedAt: 9,
    });
  });

  test('a status changes only from the one that was expected', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const { id } = await ensureConnection(given.store.db, { userId: user.id, service: 'crm', now: 3 });
    const loss = { from: 'active', to: 'attention', now: 9 } as const;
    expect(await changeConnectionStatus(given.store.db, id, loss)).toBe(false);
    await updateConnection(given.store.db, id, { sealedCredential: null, status: 'active', now: 4 });
    expect(await changeConnectionStatus(given.store.db, id, loss)).toBe(true);
    expect(await findConnection(given.store.db, user.id, 'crm')).toMatchObject({ status: 'attention', updatedAt: 9 });
  });

  test('a deleted connection is gone', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await ensureConnection(given.store.db, { userId: user.id, service: 'crm', now: 3 });
    expect(await deleteConnection(given.store.db, user.id, 'crm')).toBe(true);
    expect(await deleteConnection(given.store.db, user.id, 'crm')).toBe(false);
  });
});

describeStore('the access token lookup', (given) => {
  async function connect(userId: string, service: string, status: ConnectionStatus): Promise<void> {
    const { id } = await ensureConnection(given.store.db, { userId, service, now: 1 });
    await updateConnection(given.store.db, id, { sealedCredential: null, status, now: 1 });
  }

  const servicesOf = async (hash: string) => [...((await given.store.findAccessToken(hash))?.connections.keys() ?? [])];

  test('brings each connection with its status and its sealed credential', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const { id } = await ensureConnection(given.store.db, { userId: user.id, service: 'crm', now: 1 });
    await updateConnection(given.store.db, id, { sealedCredential: 'v1.k.sealed', status: 'attention', now: 7 });
    await insertAccessToken(given.store.db, tokenFor(user.id));
    expect((await given.store.findAccessToken('hash'))?.connections.get('crm')).toEqual({
      id,
      status: 'attention',
      sealedCredential: 'v1.k.sealed',
      updatedAt: 7,
    });
    await deleteConnection(given.store.db, user.id, 'crm');
    expect((await given.store.findAccessToken('hash'))?.connections.size).toBe(0);
  });

  test('answers token, user and connected services at once, services sorted', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    for (const service of ['retrieval', 'billing', 'crm']) await connect(user.id, service, 'active');
    const id = await insertAccessToken(given.store.db, tokenFor(user.id));
    expect(await given.store.findAccessToken('hash')).toEqual({
      id,
      scopes: 'tools:read tools:write',
      resource: 'http://127.0.0.1:3000/api/mcp/unified',
      expiresAt: 20,
      userId: user.id,
      partnerId: partner.id,
      externalUserId: 'alice',
      connectUri: partner.connectUri,
      connections: expect.any(Map),
    });
    expect(await servicesOf('hash')).toEqual(['billing', 'crm', 'retrieval']);
  });

  test('counts a connection that needs attention, and not a pending one', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await connect(user.id, 'crm', 'attention');
    await connect(user.id, 'mailer', 'pending');
    await insertAccessToken(given.store.db, tokenFor(user.id));
    expect(await servicesOf('hash')).toEqual(['crm']);
  });

  test.each([
    ['to some services', ['crm', 'mailer'], ['crm']],
    ['to no service', [], []],
  ])('narrows the services of a token that is limited %s', async (_title, services, want) => {
    const { user } = await insertPartnerAndUser(given.store);
    await connect(user.id, 'crm', 'active');
    await connect(user.id, 'retrieval', 'active');
    await insertAccessToken(given.store.db, tokenFor(user.id, { services }));
    expect(await servicesOf('hash')).toEqual(want);
  });

  test('a user without connections has no services', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await insertAccessToken(given.store.db, tokenFor(user.id));
    expect(await servicesOf('hash')).toEqual([]);
  });

  test('finds nothing for an unknown hash or a revoked token', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const id = await insertAccessToken(given.store.db, tokenFor(user.id));
    expect(await given.store.findAccessToken('other')).toBeUndefined();
    expect(await revokeAccessToken(given.store.db, id, 11)).toBe(true);
    expect(await revokeAccessToken(given.store.db, id, 12)).toBe(false);
    expect(await given.store.findAccessToken('hash')).toBeUndefined();
  });

  test('sees at once what a second connection to the database committed', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await insertAccessToken(given.store.db, tokenFor(user.id));
    expect(await servicesOf('hash')).toEqual([]);
    await connect(user.id, 'crm', 'active');
    expect(await servicesOf('hash')).toEqual(['crm']);
  });
});

describeStore('call records', (given) => {
  const RECORD: CallRecord = {
    createdAt: 5,
    partnerId: 'partner',
    userId: 'user',
    tokenId: 'token',
    service: 'retrieval',
    tool: 'retrieval_search',
    outcome: 'ok',
    upstreamStatus: 200,
    upstreamCode: null,
    durationMs: 12.6,
    requestBytes: 10,
    responseBytes: 20,
    requestId: 'request',
  };

  test('a batch larger than one statement is written whole', async () => {
    await insertCallRecords(
      given.store.db,
      Array.from({ length: 1201 }, (_, index) => ({ ...RECORD, createdAt: index })),
    );
    const rows = await given.store.db.selectFrom('call_records').selectAll().orderBy('created_at').execute();
    expect(rows).toHaveLength(1201);
    expect(rows[1200]).toMatchObject({ created_at: 1200, duration_ms: 13, upstream_status: 200, tool: RECORD.tool });
  });

  test('an empty batch writes nothing', async () => {
    await insertCallRecords(given.store.db, []);
    expect(await given.store.db.selectFrom('call_records').selectAll().execute()).toEqual([]);
  });
});
