import { expect, test } from 'vitest';
import { isUniqueViolation } from '../../../../server/base/store/conflicts.ts';
import { insertAccessToken, revokeAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import type { CallRecord } from '../../../../server/base/store/repositories/call-records.ts';
import {
  deleteConnection,
  listConnections,
  putConnection,
} from '../../../../server/base/store/repositories/connections.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import {
  findPartner,
  findPartnerByClientId,
  insertPartner,
  listPartners,
} from '../../../../server/base/store/repositories/partners.ts';
import {
  deleteUser,
  ensureUser,
  findUser,
  findUsersByExternalId,
  listUsers,
} from '../../../../server/base/store/repositories/users.ts';
import { describeStore } from './dialects.ts';
import { connect, findConnection, insertPartnerAndUser, tokenFor } from './fixtures.ts';

describeStore('partners and users', (given) => {
  test('a partner is found by id and by client id', async () => {
    const partner = await insertPartner(given.store.db, { clientId: 'acme', name: 'Acme', now: 7 });
    expect(partner).toMatchObject({ clientId: 'acme', name: 'Acme', createdAt: 7 });
    expect(await findPartner(given.store.db, partner.id)).toEqual(partner);
    expect(await findPartnerByClientId(given.store.db, 'acme')).toEqual(partner);
    expect(await findPartnerByClientId(given.store.db, 'ACME')).toBeUndefined();
  });

  test('a client id is unique', async () => {
    await insertPartner(given.store.db, { clientId: 'acme', name: 'Acme', now: 1 });
    await expect(insertPartner(given.store.db, { clientId: 'acme', name: 'Other', now: 1 })).rejects.toSatisfy(
      isUniqueViolation,
    );
    expect(await listPartners(given.store.db, 10)).toHaveLength(1);
  });

  test('a hundred concurrent callers get the same new user', async () => {
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

  test('deleting a user deletes its connections and access tokens', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await connect(given.store, { userId: user.id, service: 'retrieval' });
    await insertAccessToken(given.store.db, tokenFor(user.id));
    expect(await deleteUser(given.store.db, user.id)).toBe(true);
    expect(await deleteUser(given.store.db, user.id)).toBe(false);
    expect(await findConnection(given.store.db, user.id, 'retrieval')).toBeUndefined();
    expect(await given.store.findAccessToken('hash')).toBeUndefined();
  });
});

describeStore('connections', (given) => {
  const sealedFor = (id: string) => `sealed for ${id}`;

  test('a new connection is active and has the credential that was sealed for its row', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const of = { userId: user.id, service: 'retrieval' };
    const id = await putConnection(given.store.db, { ...of, now: 3, seal: sealedFor });
    expect(await findConnection(given.store.db, user.id, 'retrieval')).toEqual({
      id,
      ...of,
      status: 'active',
      sealedCredential: `sealed for ${id}`,
      createdAt: 3,
      updatedAt: 3,
      account: null,
      credentialType: null,
      accountName: null,
      accountIdentity: null,
      number: 1,
    });
  });

  test('a hundred concurrent callers get the same connection, with a credential that was sealed for its row', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const of = { userId: user.id, service: 'crm' };
    const ids = await Promise.all(
      Array.from({ length: 100 }, (_, now) => putConnection(given.store.db, { ...of, now, seal: sealedFor })),
    );
    expect(new Set(ids).size).toBe(1);
    expect(await listConnections(given.store.db, user.id)).toMatchObject([{ sealedCredential: sealedFor(ids[0]!) }]);
  });

  test('saves and removals of one connection do not deadlock', { timeout: 60_000 }, async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const { db } = given.store;
    const of = { userId: user.id, service: 'crm' };
    const save = (now: number) =>
      db.transaction().execute((transaction) => putConnection(transaction, { ...of, now, seal: sealedFor }));
    const remove = async () => {
      const found = await findConnection(db, user.id, 'crm');
      return found !== undefined && (await deleteConnection(db, user.id, found.id));
    };
    for (let round = 0; round < 5; round += 1) {
      const callers = Array.from({ length: 200 }, (_, now) => (now % 4 === 0 ? remove() : save(now)));
      const results = await Promise.allSettled(callers);
      expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    }
    const id = await save(1);
    expect(await listConnections(db, user.id)).toMatchObject([{ id, sealedCredential: sealedFor(id) }]);
  });

  test('concurrent callers for many services get one connection each', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await Promise.all(
      Array.from({ length: 200 }, (_, now) =>
        putConnection(given.store.db, { userId: user.id, service: `service-${now % 40}`, now, seal: sealedFor }),
      ),
    );
    const connections = await listConnections(given.store.db, user.id);
    expect(connections).toHaveLength(40);
    for (const { id, sealedCredential } of connections) expect(sealedCredential).toBe(sealedFor(id));
  });

  test('another credential replaces the old one, and the connection is active again', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const of = { userId: user.id, service: 'crm' };
    const id = await connect(given.store, { ...of, now: 3, status: 'attention' });
    expect(await putConnection(given.store.db, { ...of, now: 9, seal: sealedFor })).toBe(id);
    expect(await findConnection(given.store.db, user.id, 'crm')).toMatchObject({
      sealedCredential: `sealed for ${id}`,
      status: 'active',
      createdAt: 3,
      updatedAt: 9,
    });
  });

  test('a deleted connection is not found', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const id = await connect(given.store, { userId: user.id, service: 'crm' });
    expect(await deleteConnection(given.store.db, 'someone-else', id)).toBe(false);
    expect(await deleteConnection(given.store.db, user.id, id)).toBe(true);
    expect(await deleteConnection(given.store.db, user.id, id)).toBe(false);
  });
});

describeStore('the access token lookup', (given) => {
  const servicesOf = async (hash: string) => [...((await given.store.findAccessToken(hash))?.connections.keys() ?? [])];

  test('returns each connection with its status and sealed credential', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const id = await putConnection(given.store.db, {
      ...{ userId: user.id, service: 'crm', now: 7 },
      seal: () => 'v1.k.sealed',
    });
    await insertAccessToken(given.store.db, tokenFor(user.id));
    expect((await given.store.findAccessToken('hash'))?.connections.get('crm')).toEqual({
      id,
      status: 'active',
      sealedCredential: 'v1.k.sealed',
      updatedAt: 7,
    });
    await deleteConnection(given.store.db, user.id, id);
    expect((await given.store.findAccessToken('hash'))?.connections.size).toBe(0);
  });

  test('returns token, user and connected services together, services sorted', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    for (const service of ['retrieval', 'billing', 'crm']) await connect(given.store, { userId: user.id, service });
    const id = await insertAccessToken(given.store.db, tokenFor(user.id));
    expect(await given.store.findAccessToken('hash')).toEqual({
      id,
      scopes: ['tools:read', 'tools:write'],
      grantId: null,
      clientId: null,
      permission: null,
      resource: 'http://127.0.0.1:3000/api/mcp/unified',
      expiresAt: 20,
      firstUsedAt: null,
      userId: user.id,
      partnerId: partner.id,
      externalUserId: 'alice',
      connectUri: partner.connectUri,
      partnerName: 'Acme',
      realm: 'live',
      offeredServices: null,
      narrowedTo: null,
      isSuspended: false,
      approvals: null,
      allowance: null,
      allowanceUntil: null,
      requiresAllowance: 0,
      callLimits: null,
      isWritingStopped: false,
      connections: expect.any(Map),
    });
    expect(await servicesOf('hash')).toEqual(['billing', 'crm', 'retrieval']);
  });

  test('is limited to the grant, whatever the token says', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    for (const service of ['retrieval', 'crm']) await connect(given.store, { userId: user.id, service });
    const grant = { clientId: null, userId: user.id, scopes: ['tools:read'], services: ['crm'], resource: 'r' };
    const permission = '{"without":["crm_x"]}';
    const grantId = await insertGrant(given.store.db, { ...grant, now: 10, expiresAt: 20, permission });
    await insertAccessToken(given.store.db, tokenFor(user.id, { grantId }));
    expect(await given.store.findAccessToken('hash')).toMatchObject({
      scopes: ['tools:read'],
      grantId,
      permission,
      narrowedTo: ['crm'],
    });
    expect(await servicesOf('hash')).toEqual(['crm']);
  });

  test('includes a connection that needs attention', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await connect(given.store, { userId: user.id, service: 'crm', status: 'attention' });
    await insertAccessToken(given.store.db, tokenFor(user.id));
    expect(await servicesOf('hash')).toEqual(['crm']);
  });

  test.each([
    ['to some services', ['crm', 'mailer'], ['crm']],
    ['to no service', [], []],
  ])('narrows the services of a token that is limited %s', async (_title, services, want) => {
    const { user } = await insertPartnerAndUser(given.store);
    await connect(given.store, { userId: user.id, service: 'crm' });
    await connect(given.store, { userId: user.id, service: 'retrieval' });
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

  test('sees at once what a second database connection committed', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await insertAccessToken(given.store.db, tokenFor(user.id));
    expect(await servicesOf('hash')).toEqual([]);
    await connect(given.store, { userId: user.id, service: 'crm' });
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

  test('a batch larger than one statement is written completely', async () => {
    await given.store.insertCallRecords(Array.from({ length: 1201 }, (_, index) => ({ ...RECORD, createdAt: index })));
    const rows = await given.store.db.selectFrom('call_records').selectAll().orderBy('created_at').execute();
    expect(rows).toHaveLength(1201);
    expect(rows[1200]).toMatchObject({ created_at: 1200, duration_ms: 13, upstream_status: 200, tool: RECORD.tool });
  });

  test('an empty batch writes nothing', async () => {
    await given.store.insertCallRecords([]);
    expect(await given.store.db.selectFrom('call_records').selectAll().execute()).toEqual([]);
  });
});
