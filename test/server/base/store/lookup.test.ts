import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { insertAccessToken, markAccessTokenUsed } from '../../../../server/base/store/repositories/access-tokens.ts';
import { updatePartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { cacheWhileUnchanged, type FoundAccessToken } from '../../../../server/base/store/token-lookup.ts';
import { openListeningStore } from '../../../support/listening.ts';
import { numRuns } from '../../../support/num-runs.ts';
import { describeStore } from './dialects.ts';
import { connect, insertPartnerAndUser, tokenFor } from './fixtures.ts';
import { startRevoking } from './spawn.ts';

/** Tokens that are revoked at once, one after another in each lane. */
const LANES = 8;

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

  test('sees every change of a row that it has read before', async () => {
    const { db } = given.store;
    const { user, partner } = await insertPartnerAndUser(given.store);
    const id = await insertAccessToken(db, tokenFor(user.id));
    const found = () => given.store.findAccessToken('hash');
    expect(await found()).toMatchObject({ firstUsedAt: null, isSuspended: false, partnerName: 'Acme' });
    await markAccessTokenUsed(db, id, 15);
    expect(await found()).toMatchObject({ firstUsedAt: 15 });
    await connect(given.store, { userId: user.id, service: 'crm' });
    expect([...((await found())?.connections.keys() ?? [])]).toEqual(['crm']);
    await updatePartner(db, partner.id, { name: 'Acme Corp' });
    expect(await found()).toMatchObject({ partnerName: 'Acme Corp' });
    await db.deleteFrom('access_tokens').execute();
    expect(await found()).toBeUndefined();
    await insertAccessToken(db, tokenFor(user.id, { scopes: ['tools:read'] }));
    expect(await found()).toMatchObject({ scopes: ['tools:read'] });
  });

  const revocations = given.dialect === 'sqlite' ? numRuns(10_000) : 500;
  test(`refuses each of ${revocations} tokens in the first lookup after another process revoked it`, async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const hashes = Array.from({ length: revocations }, (_, index) => `hash ${index}`);
    for (let at = 0; at < hashes.length; at += 1000) await insertTokens(hashes.slice(at, at + 1000), user.id);
    const { revoke, stop } = startRevoking(given.url);
    const late: string[] = [];
    const early: string[] = [];
    const revokeThese = async (own: readonly string[]): Promise<void> => {
      for (const hash of own) {
        const before = await Promise.all([hash, hash].map(given.store.findAccessToken));
        if (before.includes(undefined)) early.push(hash);
        await revoke(hash);
        if ((await given.store.findAccessToken(hash)) !== undefined) late.push(hash);
      }
    };
    const lanes = Map.groupBy(hashes, (hash) => Number(hash.slice('hash '.length)) % LANES);
    await Promise.all([...lanes.values()].map(revokeThese));
    stop();
    expect({ early, late }).toEqual({ early: [], late: [] });
  }, 60_000);

  async function insertTokens(hashes: readonly string[], userId: string): Promise<void> {
    const shared = { user_id: userId, scopes: 'tools:read', resource: 'r', created_at: 10, expires_at: 20 };
    const rows = hashes.map((hash) => ({ ...shared, id: hash, token_hash: hash, services: null, revoked_at: null }));
    await given.store.db.insertInto('access_tokens').values(rows).execute();
  }

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

describe('lookups kept while the database is unchanged', () => {
  const given = (connections = 0) => {
    const found = { connections: new Map(Array.from({ length: connections }, (_, index) => [String(index), {}])) };
    const asked: string[] = [];
    const database = { version: 1, asked };
    const find = cacheWhileUnchanged(
      () => database.version,
      (hash) => {
        asked.push(hash);
        return hash.startsWith('unknown') ? undefined : (found as unknown as FoundAccessToken);
      },
    );
    return { database, find };
  };

  test('ask once for a version, and again for the next', () => {
    const { database, find } = given();
    expect(find('a')).toBe(find('a'));
    find('b');
    database.version = 2;
    find('a');
    find('a');
    expect(database.asked).toEqual(['a', 'b', 'a']);
  });

  test('ask each time for an unknown token', () => {
    const { database, find } = given();
    expect([find('unknown'), find('unknown')]).toEqual([undefined, undefined]);
    expect(database.asked).toEqual(['unknown', 'unknown']);
  });

  test('ask each time while the version cannot be read', () => {
    const { database, find } = given();
    database.version = Number.NaN;
    find('a');
    find('a');
    expect(database.asked).toEqual(['a', 'a']);
  });

  test('leave out the oldest when they have more than 10,000 rows', () => {
    const { database, find } = given(100);
    for (let index = 0; index < 100; index += 1) find(`token ${index}`);
    find('token 0');
    expect(database.asked).toHaveLength(100);
    find('one more');
    find('one more');
    find('token 1');
    find('token 99');
    find('token 0');
    expect(database.asked.slice(100)).toEqual(['one more', 'token 0']);
  });
});
