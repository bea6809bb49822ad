import { expect, test } from 'vitest';
import { emit } from '../../../../server/base/store/events.ts';
import { countGuess, uncountGuess } from '../../../../server/base/store/repositories/guess-counters.ts';
import {
  consumeAuthorizationCode,
  extendGrant,
  findAuthorizationCode,
  findGrant,
  insertAuthorizationCode,
  revokeGrant,
} from '../../../../server/base/store/repositories/oauth-grants.ts';
import { listLivePartnerSecrets } from '../../../../server/base/store/repositories/partner-secrets.ts';
import {
  findRefreshToken,
  insertRefreshToken,
  spendRefreshToken,
} from '../../../../server/base/store/repositories/refresh-tokens.ts';
import { addPartnerSecret, authenticatePartner } from '../../../../server/identity/partners/secrets.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { insertPartnerAndUser } from '../../base/store/fixtures.ts';
import { givenGrant } from './rows.ts';

describeStore('grants', (given) => {
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
});

describeStore('authorization codes', (given) => {
  test('a code is used once, before it expires', async () => {
    const { db } = given.store;
    const { grantId } = await givenGrant(given);
    const code = { codeHash: 'code', grantId, redirectUri: 'http://127.0.0.1:1/cb', codeChallenge: 'c', expiresAt: 20 };
    await insertAuthorizationCode(db, { ...code, now: 10 });
    const use = (now: number) => consumeAuthorizationCode(db, 'code', now);
    expect([await use(20), await use(19), await use(19)]).toEqual([false, true, false]);
    expect(await findAuthorizationCode(db, 'code')).toEqual({ ...code, createdAt: 10, consumedAt: 19 });
  });
});

describeStore('refresh tokens', (given) => {
  test('a token is used once, and only as its row was read', async () => {
    const { db } = given.store;
    const { grantId } = await givenGrant(given);
    const token = { tokenHash: 'token', grantId, expiresAt: 20 };
    const id = await insertRefreshToken(db, { ...token, now: 10 });
    const use = { id, previous: null, previousSeed: null, sharedUntil: 14, sealedSeed: 'seed', now: 13 };
    const uses = [
      await spendRefreshToken(db, { ...use, previous: 12 }),
      await spendRefreshToken(db, { ...use, previousSeed: 'other' }),
      await spendRefreshToken(db, use),
      await spendRefreshToken(db, use),
    ];
    expect(uses).toEqual([false, false, true, false]);
    const used = { ...token, id, createdAt: 10, usedAt: 13, sharedUntil: 14, sealedSeed: 'seed' };
    expect(await findRefreshToken(db, 'token')).toEqual(used);
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
    await emit(given.store.db, {
      type: 'consent_given',
      now: 7,
      clientId: 'client-1',
      address: '127.0.0.1',
      requestId: 'request-1',
      details: { clientName: 'a\0b' },
    });
    const failing = given.store.db.transaction().execute(async (transaction) => {
      await emit(transaction, { type: 'grant_revoked', now: 8 });
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
        mac: null,
        chain: null,
        chain_seq: null,
        chain_mac: null,
      },
    ]);
  });
});
