import pg from 'pg';
import { expect, test } from 'vitest';
import { insertAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { openListeningStore } from '../../../support/listening.ts';
import { describeStore } from './dialects.ts';
import { insertPartnerAndUser, tokenFor } from './fixtures.ts';

describeStore('an open store', (given) => {
  test('answers a hundred lookups at once', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const id = await insertAccessToken(given.store.db, tokenFor(user.id));
    const found = await Promise.all(Array.from({ length: 100 }, () => given.store.findAccessToken('hash')));
    expect(new Set(found.map((token) => token?.id))).toEqual(new Set([id]));
  });

  test('keeps concurrent lookups of tokens apart', async () => {
    const { user, partner } = await insertPartnerAndUser(given.store);
    const other = await ensureUser(given.store.db, { partnerId: partner.id, externalUserId: 'other', now: 1 });
    await insertAccessToken(given.store.db, tokenFor(user.id));
    await insertAccessToken(given.store.db, { ...tokenFor(other.id), tokenHash: 'of-other' });
    const found = await Promise.all(['hash', 'unknown', 'of-other', 'hash'].map(given.store.findAccessToken));
    expect(found.map((token) => token?.userId)).toEqual([user.id, undefined, other.id, user.id]);
  });

  test('answers lookups while a transaction is open', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await insertAccessToken(given.store.db, tokenFor(user.id));
    await given.store.db.transaction().execute(async (transaction) => {
      await transaction.updateTable('access_tokens').set({ revoked_at: 5 }).execute();
      expect(await given.store.findAccessToken('hash')).toBeDefined();
      await given.store.ping();
    });
    expect(await given.store.findAccessToken('hash')).toBeUndefined();
  });

  if (given.dialect === 'sqlite') return;

  test('recovers after its connections broke', async () => {
    const errors: Error[] = [];
    const store = await openListeningStore({ url: given.url, onError: (error) => errors.push(error) });
    await store.ping();
    const client = new pg.Client({ connectionString: given.url });
    await client.connect();
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    await store.ping();
    expect(await store.findAccessToken('hash')).toBeUndefined();
    await store.close();
    await client.end();
  });
});

test('an unreachable PostgreSQL server is an error within seconds, without the password', async () => {
  const opening = openListeningStore({ url: 'postgres://gateway:planted-secret@127.0.0.1:1/x' });
  await expect(opening).rejects.toSatisfy((error) => !JSON.stringify(error).includes('planted-secret'));
});
