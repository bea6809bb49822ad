import { expect, test } from 'vitest';
import { emit } from '../../../../server/base/store/events.ts';
import { purge } from '../../../../server/base/store/purge.ts';
import { insertAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import { countGuess } from '../../../../server/base/store/repositories/guess-counters.ts';
import { findClient, insertClient, markClientUsed } from '../../../../server/base/store/repositories/oauth-clients.ts';
import {
  findAuthorizationCode,
  insertAuthorizationCode,
} from '../../../../server/base/store/repositories/oauth-grants.ts';
import {
  findRefreshToken,
  insertRefreshToken,
  spendRefreshToken,
} from '../../../../server/base/store/repositories/refresh-tokens.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { RETENTION } from '../../../support/listening.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { tokenFor } from '../../base/store/fixtures.ts';
import { CLIENT, givenGrant } from './rows.ts';

const DAY_MS = 86_400_000;

describeStore('retention in the authorization server', (given) => {
  const now = 1000 * DAY_MS;
  const purgeNow = () => purge(given.store, RETENTION, { now });

  test('unused registrations are removed after a day, used ones never', async () => {
    verifies('rfc7591-5-expiry');
    for (const [clientId, at] of [
      ['old', now - DAY_MS - 1],
      ['young', now - DAY_MS],
      ['used', 1],
    ] as const) {
      await insertClient(given.store.db, { ...CLIENT, clientId, now: at });
    }
    await markClientUsed(given.store.db, 'used', 2);
    expect((await purgeNow()).oauth_clients).toBe(1);
    expect(await findClient(given.store.db, 'old')).toBeUndefined();
    expect(await findClient(given.store.db, 'young')).toBeDefined();
    expect(await findClient(given.store.db, 'used')).toBeDefined();
  });

  test('a registration that is used during the purge stays', async () => {
    await insertClient(given.store.db, CLIENT);
    let purging: Promise<unknown> = Promise.resolve();
    await given.store.db.transaction().execute(async (transaction) => {
      await markClientUsed(transaction, 'client-1', now);
      purging = purgeNow();
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    await purging;
    expect(await findClient(given.store.db, 'client-1')).toBeDefined();
  });

  test('a grant is removed a day after its last token, with its whole family', async () => {
    const { user, grantId } = await givenGrant(given, { expiresAt: now - DAY_MS - 1 });
    await markClientUsed(given.store.db, 'client-1', 1);
    await insertAccessToken(given.store.db, tokenFor(user.id, { grantId, expiresAt: now + 1 }));
    await insertRefreshToken(given.store.db, { tokenHash: 'used', grantId, now: 1, expiresAt: now + 1 });
    const removed = await purgeNow();
    expect(removed).toMatchObject({ oauth_grants: 1, refresh_tokens: 0, access_tokens: 0 });
    for (const table of ['oauth_grants', 'refresh_tokens', 'access_tokens'] as const) {
      expect(
        await given.store.db
          .selectFrom(table as 'oauth_grants')
          .select('id')
          .execute(),
      ).toEqual([]);
    }
    expect(await findClient(given.store.db, 'client-1')).toBeDefined();
  });

  test('the seed of a refresh is removed two minutes after its answer was last shared, and its token stays', async () => {
    const { grantId } = await givenGrant(given, { expiresAt: now + 1 });
    await markClientUsed(given.store.db, 'client-1', 1);
    const ends = { stale: now - 120_001, fresh: now - 120_000 };
    for (const [tokenHash, sharedUntil] of Object.entries(ends)) {
      const id = await insertRefreshToken(given.store.db, { tokenHash, grantId, now: 1, expiresAt: now + 1 });
      const use = { id, previous: null, previousSeed: null, sharedUntil, sealedSeed: 'seed', now: 1 };
      await spendRefreshToken(given.store.db, use);
    }
    expect(await purgeNow()).toMatchObject({ refresh_tokens: 1 });
    expect(await findRefreshToken(given.store.db, 'stale')).toMatchObject({ sealedSeed: null });
    expect(await findRefreshToken(given.store.db, 'fresh')).toMatchObject({ sealedSeed: 'seed' });
    expect(await purgeNow()).toMatchObject({ refresh_tokens: 0 });
  });

  test('used refresh tokens and codes stay for a day after their expiry, events for a year, counters not at all', async () => {
    const { grantId } = await givenGrant(given, { expiresAt: now + 1 });
    await markClientUsed(given.store.db, 'client-1', 1);
    for (const [hash, expiresAt] of [
      ['gone', now - DAY_MS - 1],
      ['kept', now - DAY_MS],
    ] as const) {
      await insertRefreshToken(given.store.db, { tokenHash: hash, grantId, now: 1, expiresAt });
      const code = { codeHash: hash, grantId, redirectUri: '', codeChallenge: '', now: 1, expiresAt };
      await insertAuthorizationCode(given.store.db, code);
    }
    await countGuess(given.store.db, 'over', { windowMs: 1, now: now - 2 });
    await countGuess(given.store.db, 'open', { windowMs: 1, now });
    await emit(given.store.db, { type: 'grant_revoked', now: now - 365 * DAY_MS - 1 });
    await emit(given.store.db, { type: 'grant_revoked', now: now - 365 * DAY_MS });
    expect(await purgeNow()).toMatchObject({
      refresh_tokens: 1,
      oauth_codes: 1,
      attempt_counters: 1,
      audit_events: 1,
      oauth_grants: 0,
    });
    expect(await findRefreshToken(given.store.db, 'kept')).toBeDefined();
    expect(await findAuthorizationCode(given.store.db, 'kept')).toBeDefined();
  });
});
