import SqliteDatabase from 'better-sqlite3';
import fc from 'fast-check';
import { CompiledQuery } from 'kysely';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { insertAccessToken, markAccessTokenUsed } from '../../../../server/base/store/repositories/access-tokens.ts';
import { updatePartner } from '../../../../server/base/store/repositories/partners.ts';
import { changeMembers, insertShare, putTeam } from '../../../../server/base/store/repositories/teams.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import {
  cacheWhileUnchanged,
  type FoundAccessToken,
  findMember,
  type SharedConnectionRow,
  SQLITE_SHARE_LOOKUP,
  SQLITE_TOKEN_LOOKUP,
  type TokenLookupRow,
  toFoundAccessToken,
} from '../../../../server/base/store/token-lookup.ts';
import { openListeningStore } from '../../../support/listening.ts';
import { numRuns } from '../../../support/num-runs.ts';
import { describeStore, type StoreUnderTest } from './dialects.ts';
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

  const revocations = given.dialect === 'sqlite' ? numRuns(2_500) : 500;
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

  if (given.dialect === 'sqlite') {
    testKeptLookups(given);
    return;
  }

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

function testKeptLookups(given: StoreUnderTest): void {
  const COLUMNS = {
    access_tokens: [
      'token_hash',
      'scopes',
      'services',
      'resource',
      'expires_at',
      'revoked_at',
      'first_used_at',
      'grant_id',
    ],
    oauth_grants: ['client_id', 'scopes', 'services', 'permission', 'revoked_at', 'expires_at'],
    users: ['external_user_id', 'approvals', 'allowance', 'created_at', 'in_teams', 'partner_id'],
    partners: ['name', 'connect_uri', 'services', 'suspended_at', 'approvals', 'test_of', 'plain_links'],
    connections: ['service', 'status', 'sealed_credential', 'updated_at', 'account_name', 'user_id', 'account'],
    teams: ['name', 'partner_id', 'external_team_id'],
    team_members: ['user_id', 'team_id', 'created_at'],
    team_shares: ['read_only', 'connection_id', 'team_id', 'created_at'],
  };
  const inserts = {
    connections: `insert into connections (id, user_id, service, status, created_at, updated_at)
      select 'c' || id, id, ?, 'active', 1, 1 from users`,
    switches: `insert into switches values ('writing_stopped', ?)`,
    team_members: `insert into team_members select 'm' || u.id, t.id, u.id, ? from teams t, users u`,
    team_shares: `insert into team_shares select 's' || c.id, t.id, c.id, c.service, coalesce(?, 1), 1 from teams t, connections c`,
  };
  const writes = Object.entries(COLUMNS).flatMap(([table, columns]) => [
    ...columns.map((column) => ({ table, column })),
    { table, column: null },
  ]);

  test('keeps found tokens, which are those that a new connection reads, whatever commits, in this process or another', async () => {
    const { store } = given;
    const database = new SqliteDatabase(given.url.slice('sqlite:'.length));
    database.pragma('foreign_keys = on');
    const lookup = database.prepare<[string], TokenLookupRow>(SQLITE_TOKEN_LOOKUP);
    const sharesOf = database.prepare<[string], SharedConnectionRow>(SQLITE_SHARE_LOOKUP);
    const seedRows = async () => {
      for (const table of [
        'access_tokens',
        'oauth_grants',
        'teams',
        'connections',
        'users',
        'partners',
        'switches',
      ] as const)
        await store.db.deleteFrom(table).execute();
      const { user, partner } = await insertPartnerAndUser(store);
      await insertAccessToken(store.db, tokenFor(user.id));
      await connect(store, { userId: user.id, service: 'crm' });
      const owner = await ensureUser(store.db, { partnerId: partner.id, externalUserId: 'owner', now: 1 });
      await connect(store, { userId: owner.id, service: 'crm' });
      await shareWithTeam(store, { partnerId: partner.id, ownerId: owner.id, memberId: user.id });
    };
    const write = fc.record({
      of: fc.constantFrom(...writes, ...Object.keys(inserts).map((table) => ({ table, column: 'insert' })), {
        table: 'users',
        column: 'owner',
      }),
      value: fc.constantFrom(null, 0, 1, 'crm', 'mailer', 'tools:read', 'hash', '0'),
      isOwn: fc.boolean(),
    });
    const statementOf = ({
      of: { table, column },
      value,
    }: typeof write extends fc.Arbitrary<infer Write> ? Write : never) => {
      if (column === null) return [`delete from ${table}`, []] as const;
      if (column === 'owner') return [`delete from users where external_user_id = 'owner'`, []] as const;
      if (column === 'insert') return [inserts[table as keyof typeof inserts], [value]] as const;
      return [`update ${table} set ${column} = ?`, [value]] as const;
    };
    const readAgain = () => {
      const rows = lookup.all('hash');
      const member = findMember(rows);
      return toFoundAccessToken(rows, member === null ? [] : sharesOf.all(member));
    };
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 12 }), async (sequence) => {
        await seedRows();
        for (const each of sequence) {
          await store.findAccessToken('hash');
          const [statement, values] = statementOf(each);
          try {
            if (each.isOwn) await store.db.executeQuery(CompiledQuery.raw(statement, [...values]));
            else database.prepare(statement).run(...values);
          } catch (error) {
            if (!String(error).includes('constraint')) throw error;
          }
          expect(await store.findAccessToken('hash')).toEqual(readAgain());
        }
      }),
      { numRuns: numRuns(60) },
    );
    database.close();
  });

  test('sees each change of what teams share with the user, and of who is in a team', async () => {
    const { db } = given.store;
    const { user, partner } = await insertPartnerAndUser(given.store);
    await insertAccessToken(db, tokenFor(user.id));
    const owner = await ensureUser(db, { partnerId: partner.id, externalUserId: 'owner', now: 1 });
    const connectionId = await connect(given.store, { userId: owner.id, service: 'crm' });
    const shared = async () => {
      const found = (await given.store.findAccessToken('hash'))?.connections.get('crm');
      return found === undefined ? null : [found.name, found.share?.isReadOnly, found.status];
    };
    expect(await shared()).toBeNull();
    const { id } = await shareWithTeam(given.store, { partnerId: partner.id, ownerId: owner.id, memberId: user.id });
    expect(await shared()).toEqual(['Sales', true, 'active']);
    await db.updateTable('team_shares').set({ read_only: 0 }).execute();
    expect(await shared()).toEqual(['Sales', false, 'active']);
    await putTeam(db, { partnerId: partner.id, externalTeamId: 'sales', name: 'Sellers', now: 2 });
    expect(await shared()).toEqual(['Sellers', false, 'active']);
    await db.updateTable('connections').set({ status: 'attention' }).execute();
    expect(await shared()).toEqual(['Sellers', false, 'attention']);
    await db.deleteFrom('team_shares').execute();
    expect(await shared()).toBeNull();
    await insertShare(db, { teamId: id, connectionId, service: 'crm', readOnly: true, now: 3 });
    expect(await shared()).not.toBeNull();
    await changeMembers(db, { id, add: [], remove: [user.id], now: 4 });
    expect(await shared()).toBeNull();
    await changeMembers(db, { id, add: [user.id], remove: [], now: 5 });
    expect(await shared()).not.toBeNull();
    await db.deleteFrom('users').where('id', '=', owner.id).execute();
    expect(await shared()).toBeNull();
  });

  test('keeps found tokens while something else changes', async () => {
    const { store } = given;
    const { user, partner } = await insertPartnerAndUser(store);
    await insertAccessToken(store.db, tokenFor(user.id));
    const first = await store.findAccessToken('hash');
    await insertAccessToken(store.db, { ...tokenFor(user.id), tokenHash: 'another' });
    await ensureUser(store.db, { partnerId: partner.id, externalUserId: 'other', now: 1 });
    await store.db.updateTable('partners').set({ footer: 0 }).execute();
    expect(await store.findAccessToken('hash')).toBe(first);
  });
}

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

async function shareWithTeam(
  store: StoreUnderTest['store'],
  { partnerId, ownerId, memberId }: { partnerId: string; ownerId: string; memberId: string },
): Promise<{ id: string; connectionId: string }> {
  await putTeam(store.db, { partnerId, externalTeamId: 'sales', name: 'Sales', now: 1 });
  const { id } = await store.db.selectFrom('teams').select('id').executeTakeFirstOrThrow();
  await changeMembers(store.db, { id, add: [ownerId, memberId], remove: [], now: 1 });
  const owned = store.db.selectFrom('connections').select('id').where('user_id', '=', ownerId);
  const { id: connectionId } = await owned.executeTakeFirstOrThrow();
  await insertShare(store.db, { teamId: id, connectionId, service: 'crm', readOnly: true, now: 1 });
  return { id, connectionId };
}
