import { expect, test } from 'vitest';
import { tell } from '../../../../server/base/store/events.ts';
import { insertAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import { countGuess, uncountGuess } from '../../../../server/base/store/repositories/guess-counters.ts';
import { findClient, insertClient, markClientUsed } from '../../../../server/base/store/repositories/oauth-clients.ts';
import {
  consumeAuthorizationCode,
  findAuthorizationCode,
  insertAuthorizationCode,
} from '../../../../server/base/store/repositories/oauth-codes.ts';
import { extendGrant, findGrant, revokeGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { listLivePartnerSecrets } from '../../../../server/base/store/repositories/partner-secrets.ts';
import {
  eraseSeed,
  findRefreshToken,
  finishRefresh,
  insertRefreshToken,
  openRefresh,
} from '../../../../server/base/store/repositories/refresh-tokens.ts';
import { addPartnerSecret, authenticatePartner } from '../../../../server/identity/partners/secrets.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { insertPartnerAndUser, tokenFor } from '../../base/store/fixtures.ts';
import { CLIENT, givenGrant } from './rows.ts';

describeStore('clients', (given) => {
  test('a client is read as it was registered', async () => {
    await insertClient(given.store.db, CLIENT);
    const confidential = { authenticationMethod: 'client_secret_basic', secretHash: 'hash' } as const;
    await insertClient(given.store.db, { ...CLIENT, ...confidential, clientId: 'client-2', clientName: null });
    expect(await findClient(given.store.db, 'client-1')).toEqual({
      clientId: 'client-1',
      clientName: 'Inspector',
      redirectUris: ['http://127.0.0.1/cb'],
      applicationType: 'native',
      authenticationMethod: 'none',
      confidential: false,
      secretHash: null,
      jwks: null,
      jwksUri: null,
      document: null,
      wasAllowed: false,
      createdAt: CLIENT.now,
      registeredFrom: null,
    });
    expect(await findClient(given.store.db, 'client-2')).toMatchObject({ confidential: true, clientName: null });
  });

  test.each(['', 'client-3', 'CLIENT-1', 'client-1\0', '\ud800'])('%j finds no client', async (clientId) => {
    await insertClient(given.store.db, CLIENT);
    expect(await findClient(given.store.db, clientId)).toBeUndefined();
  });

  test('the first use is recorded', async () => {
    await insertClient(given.store.db, CLIENT);
    expect(await markClientUsed(given.store.db, 'client-1', 7)).toBe(true);
    expect(await markClientUsed(given.store.db, 'client-1', 9)).toBe(true);
    expect(await markClientUsed(given.store.db, 'client-2', 9)).toBe(false);
    const rows = await given.store.db.selectFrom('oauth_clients').select('first_used_at').execute();
    expect(rows).toEqual([{ first_used_at: 7 }]);
  });
});

describeStore('grants', (given) => {
  test('a grant is read as it was created, with its partner', async () => {
    const { partner, user, grantId } = await givenGrant(given, { services: ['crm', 'mailer'] });
    expect(await findGrant(given.store.db, grantId)).toMatchObject({
      id: grantId,
      clientId: 'client-1',
      userId: user.id,
      partnerId: partner.id,
      scopes: ['tools:read', 'tools:write'],
      services: ['crm', 'mailer'],
      resource: 'https://gateway.example.com/api/mcp/unified',
      revokedAt: null,
    });
    expect(await findGrant(given.store.db, 'unknown')).toBeUndefined();
  });

  test('an empty list of services does not mean every service', async () => {
    const { grantId } = await givenGrant(given, { services: [] });
    expect((await findGrant(given.store.db, grantId))?.services).toEqual([]);
  });

  test('a grant ends once, and cannot be extended afterwards', async () => {
    const { grantId } = await givenGrant(given);
    expect(await extendGrant(given.store.db, grantId, 30)).toBe(true);
    expect(await revokeGrant(given.store.db, grantId, { reason: 'revoked-by-client', now: 12 })).toBe(true);
    expect(await revokeGrant(given.store.db, grantId, { reason: 'code-replayed', now: 13 })).toBe(false);
    expect(await extendGrant(given.store.db, grantId, 40)).toBe(false);
    expect(await given.store.db.selectFrom('oauth_grants').selectAll().execute()).toMatchObject([
      { revoked_at: 12, revoked_reason: 'revoked-by-client', expires_at: 30 },
    ]);
  });

  test('the token lookup finds tokens of valid grants only', async () => {
    const { user, grantId } = await givenGrant(given);
    await insertAccessToken(given.store.db, tokenFor(user.id, { tokenHash: 'granted', grantId }));
    await insertAccessToken(given.store.db, tokenFor(user.id, { tokenHash: 'minted' }));
    expect(await given.store.findAccessToken('granted')).toMatchObject({ userId: user.id });
    await revokeGrant(given.store.db, grantId, { reason: 'revoked-by-client', now: 12 });
    expect(await given.store.findAccessToken('granted')).toBeUndefined();
    expect(await given.store.findAccessToken('minted')).toMatchObject({ userId: user.id });
  });
});

describeStore('authorization codes and refresh tokens', (given) => {
  async function insertBoth(grantId: string): Promise<string> {
    const redirectUri = 'http://127.0.0.1:1/cb';
    const code = { codeHash: 'code', grantId, redirectUri, codeChallenge: 'c', expiresAt: 20 };
    await insertAuthorizationCode(given.store.db, { ...code, now: 10 });
    expect(await findAuthorizationCode(given.store.db, 'code')).toEqual({
      ...code,
      createdAt: 10,
      consumedAt: null,
    });
    return insertRefreshToken(given.store.db, { tokenHash: 'token', grantId, now: 10, expiresAt: 20 });
  }

  test('a code is used once, before it expires', async () => {
    const { grantId } = await givenGrant(given);
    await insertBoth(grantId);
    expect(await consumeAuthorizationCode(given.store.db, 'code', 20)).toBe(false);
    expect(await consumeAuthorizationCode(given.store.db, 'code', 19)).toBe(true);
    expect(await consumeAuthorizationCode(given.store.db, 'code', 19)).toBe(false);
    expect(await findAuthorizationCode(given.store.db, 'code')).toMatchObject({ consumedAt: 19 });
  });

  test('a refresh is opened once, replaced only by its id, and finished once', async () => {
    const { grantId } = await givenGrant(given);
    const id = await insertBoth(grantId);
    const { db } = given.store;
    const open = (previous: number | null, issuesAt: number) =>
      openRefresh(db, {
        id,
        previous,
        previousSeed: previous === null ? null : `seed-${previous}`,
        issuesAt,
        sealedSeed: `seed-${issuesAt}`,
      });
    const finish = async (issuesAt: number) => (await finishRefresh(db, { id, issuesAt, now: 19 })) !== undefined;
    expect(await finish(12)).toBe(false);
    expect([await open(null, 12), await open(null, 13), await open(11, 13)]).toEqual([true, false, false]);
    expect(await findRefreshToken(db, 'token')).toMatchObject({ issuesAt: 12, sealedSeed: 'seed-12', usedAt: null });
    expect(await open(12, 14)).toBe(true);
    expect([await finish(12), await finish(14), await finish(14)]).toEqual([false, true, false]);
    expect(await open(14, 15)).toBe(false);
    expect(await findRefreshToken(db, 'token')).toEqual({
      id,
      tokenHash: 'token',
      grantId,
      createdAt: 10,
      expiresAt: 20,
      usedAt: 19,
      issuesAt: 14,
      sealedSeed: 'seed-14',
    });
    await eraseSeed(db, id);
    expect(await findRefreshToken(db, 'token')).toMatchObject({ sealedSeed: null });
  });

  test('exactly one of a hundred concurrent uses in transactions succeeds', async () => {
    const { grantId } = await givenGrant(given);
    const id = await insertBoth(grantId);
    await openRefresh(given.store.db, { id, previous: null, previousSeed: null, issuesAt: 15, sealedSeed: 'seed' });
    const uses = Array.from({ length: 100 }, (_, index) =>
      given.store.db.transaction().execute(async (transaction) => {
        await findRefreshToken(transaction, 'token');
        return index % 2 === 0
          ? consumeAuthorizationCode(transaction, 'code', 15)
          : finishRefresh(transaction, { id, issuesAt: 15, now: 15 });
      }),
    );
    const results = await Promise.all(uses);
    expect(results.filter((won, index) => won && index % 2 === 0)).toHaveLength(1);
    expect(results.filter((won, index) => won && index % 2 === 1)).toHaveLength(1);
  });
});

describeStore('partner secrets', (given) => {
  test('concurrent rotations leave two valid secrets', async () => {
    const { partner } = await insertPartnerAndUser(given.store);
    const secrets = await Promise.all(
      Array.from({ length: 20 }, (_, now) =>
        given.store.db
          .transaction()
          .execute((transaction) => addPartnerSecret(transaction, { partnerId: partner.id, now })),
      ),
    );
    expect(await listLivePartnerSecrets(given.store.db, partner.id)).toHaveLength(2);
    const found = await Promise.all(
      secrets.map((clientSecret) => authenticatePartner(given.store.db, { clientId: 'acme', clientSecret })),
    );
    expect(found.filter((each) => each !== undefined)).toEqual([partner, partner]);
  });

  test.each([
    ['acme', ''],
    ['acme', 'utg_ps_other'],
    ['ac\0me', 'utg_ps_other'],
    ['unknown', 'utg_ps_other'],
  ])('%j with the secret %j finds no partner', async (clientId, clientSecret) => {
    const { partner } = await insertPartnerAndUser(given.store);
    await given.store.db
      .transaction()
      .execute((transaction) => addPartnerSecret(transaction, { partnerId: partner.id, now: 1 }));
    expect(await authenticatePartner(given.store.db, { clientId, clientSecret })).toBeUndefined();
  });
});

describeStore('attempt counters', (given) => {
  const count = (key: string, now: number) => countGuess(given.store.db, key, { windowMs: 100, now });

  test('count within a window that begins with the first attempt', async () => {
    expect([await count('a', 0), await count('a', 50), await count('b', 60), await count('a', 99)]).toEqual([
      1, 2, 1, 3,
    ]);
    expect([await count('a', 100), await count('a', 199), await count('a', 200)]).toEqual([1, 2, 1]);
  });

  test('lose none of a hundred concurrent attempts', async () => {
    const counts = await Promise.all(Array.from({ length: 100 }, () => count('a', 0)));
    expect(counts.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  test('an attempt that is given back does not count', async () => {
    await count('a', 0);
    await count('a', 0);
    await uncountGuess(given.store.db, 'a');
    expect(await count('a', 0)).toBe(2);
  });
});

describeStore('audit events', (given) => {
  test('an event is stored unchanged, and is rolled back with its transaction', async () => {
    await tell(given.store.db, {
      type: 'consent_given',
      now: 7,
      clientId: 'client-1',
      address: '127.0.0.1',
      requestId: 'request-1',
      details: { clientName: 'a\0b' },
    });
    const failing = given.store.db.transaction().execute(async (transaction) => {
      await tell(transaction, { type: 'grant_revoked', now: 8 });
      throw new Error('stop here');
    });
    await expect(failing).rejects.toThrow('stop here');
    expect(await given.store.db.selectFrom('audit_events').selectAll().execute()).toEqual([
      {
        id: expect.any(String),
        created_at: 7,
        type: 'consent_given',
        partner_id: null,
        user_id: null,
        client_id: 'client-1',
        grant_id: null,
        address: '127.0.0.1',
        request_id: 'request-1',
        details: '{"clientName":"a\\u0000b"}',
        chain: null,
        chain_seq: null,
        chain_mac: null,
      },
    ]);
  });
});
