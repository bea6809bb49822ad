import { Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { expect, test } from 'vitest';
import { openStore } from '../../../../server/base/store/index.ts';
import { listMigrations, migrateToLatest } from '../../../../server/base/store/migrate.ts';
import { createPostgresDialect, createPostgresPool } from '../../../../server/base/store/postgres.ts';
import { insertPartner, listPartners } from '../../../../server/base/store/repositories/partners.ts';
import type { Database } from '../../../../server/base/store/schema.ts';
import { CORE_TABLES } from '../../../../server/base/store/schema.ts';
import { defineTables, eraseModule } from '../../../../server/base/store/tables/table-set.ts';
import { TABLE_SETS } from '../../../support/listening.ts';
import { describeStore, withLater } from './dialects.ts';

const NEWEST = CORE_TABLES.baseline.slice(0, 4);

const nicknames: Migration = { up: (db) => db.schema.alterTable('users').addColumn('nickname', 'text').execute() };

describeStore('migrations', (given) => {
  test('a second run does nothing', async () => {
    expect(await migrateToLatest(given.store.db, given.dialect, TABLE_SETS)).toEqual([]);
  });

  test('stores that open an up-to-date database concurrently all succeed', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore({ url: given.url })));
    await Promise.all(stores.map((store) => store.ping()));
    await Promise.all(stores.map((store) => store.close()));
  });

  const ranLater = (name: string) =>
    sql`insert into kysely_migration (name, timestamp) values (${name}, '2126-01-01')`.execute(given.store.db);

  test('a database that a newer gateway migrated is used as it is', async () => {
    await ranLater('9998-later');
    await ranLater(`9999-contract-after-${NEWEST}-old-names`);
    await (await openStore({ url: given.url })).close();
    expect(await listMigrations(given.store.db)).toEqual(
      expect.arrayContaining(['9998-later', `9999-contract-after-${NEWEST}-old-names`]),
    );
  });

  test('a database after a contract migration that this version does not survive is refused', async () => {
    await ranLater('9999-contract-after-9998-old-names');
    await expect(openStore({ url: given.url })).rejects.toThrow(
      'A newer gateway ran the migration "9999-contract-after-9998-old-names" on the database that DATABASE_URL names, ' +
        'and this version cannot use what it left: start a newer version, or restore a backup from before it (docs/guides/store.md).',
    );
  });

  const tablesOf = async () => (await given.store.db.introspection.getTables()).map(({ name }) => name).toSorted();
  const badges = defineTables(
    'badges',
    {
      badges: { columns: { id: 'text primary key', rank: 'integer' }, indexes: { badges_by_rank: '(rank)' } },
      badges_of_users: {
        columns: {
          id: 'text primary key',
          badge_id: 'text not null references badges (id)',
          user_id: 'text not null references users (id) on delete cascade',
        },
      },
    },
    { migrations: { '0002-ranks': { adds: ['badges.rank', 'badges_by_rank'] } } },
  );
  const withBadges = { sets: [...TABLE_SETS, badges] };

  test('every table has one owner', async () => {
    expect(TABLE_SETS.flatMap(({ tables }) => Object.keys(tables)).toSorted()).toEqual(await tablesOf());
  });

  test('the tables of a module exist only once a gateway has the module', async () => {
    const before = await tablesOf();
    await (await openStore({ url: given.url })).close();
    expect(await tablesOf()).toEqual(before);
    await migrateToLatest(given.store.db, given.dialect, withLater({ '9998-nicknames': nicknames }));
    await (await openStore({ url: given.url, ...withBadges })).close();
    expect(await tablesOf()).toEqual([...before, ...Object.keys(badges.tables)].toSorted());
    expect(await listMigrations(given.store.db)).toEqual(
      expect.arrayContaining(['badges/0001-baseline', 'badges/0002-ranks']),
    );
  });

  test('a module that is switched off keeps its tables and rows', async () => {
    await (await openStore({ url: given.url, ...withBadges })).close();
    await sql`insert into badges (id, rank) values ('gold', 1)`.execute(given.store.db);
    await ranLater('badges/9999-contract-after-9998-ranks');
    await (await openStore({ url: given.url })).close();
    expect((await sql`select * from badges`.execute(given.store.db)).rows).toEqual([{ id: 'gold', rank: 1 }]);
    await expect(openStore({ url: given.url, ...withBadges })).rejects.toThrow(
      'A newer gateway ran the migration "badges/9999-contract-after-9998-ranks"',
    );
  });

  test('the tables of a module can be removed with their rows, and are empty when it is switched on again', async () => {
    const before = await tablesOf();
    await (await openStore({ url: given.url, ...withBadges })).close();
    await sql`insert into badges (id, rank) values ('gold', 1)`.execute(given.store.db);
    await eraseModule(given.store.db, 'badges', Object.keys(badges.tables));
    expect(await tablesOf()).toEqual(before);
    await eraseModule(given.store.db, 'badges', Object.keys(badges.tables));
    await (await openStore({ url: given.url, ...withBadges })).close();
    expect((await sql`select * from badges`.execute(given.store.db)).rows).toEqual([]);
  });

  test('the tables of the core cannot be removed', async () => {
    await expect(eraseModule(given.store.db, 'core', ['users'])).rejects.toThrow(
      'the core cannot be without its tables',
    );
  });

  if (given.dialect === 'sqlite') return;

  const waiting = async (what: RawBuilder<unknown>) => {
    const query = sql`select 1 from pg_locks where not granted and ${what} and database =
      (select oid from pg_database where datname = current_database())`;
    await expect.poll(async () => (await query.execute(given.store.db)).rows.length, { timeout: 15_000 }).toBe(1);
  };
  const openPatiently = () => {
    const pool = createPostgresPool({ url: given.url, onError: () => {}, patient: true });
    return new Kysely<Database>({ dialect: createPostgresDialect(pool) });
  };

  test('a gateway that starts while a newer one migrates uses the migrated database', async () => {
    const [newer, older] = [openPatiently(), openPatiently()];
    const begun = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const later: Migration = {
      async up() {
        begun.resolve();
        await released.promise;
      },
    };
    const migrating = migrateToLatest(newer, 'postgres', withLater({ '9998-later': later }));
    await begun.promise;
    const overtaken = migrateToLatest(older, 'postgres', TABLE_SETS);
    await waiting(sql`locktype = 'advisory'`);
    released.resolve();
    expect([await migrating, await overtaken]).toEqual([['9998-later'], []]);
    await Promise.all([newer.destroy(), older.destroy()]);
  });

  test('a migration that waits for a table does not block the gateways', async () => {
    const [holder, migrator] = [openPatiently(), openPatiently()];
    const held = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const holding = holder.transaction().execute(async (transaction) => {
      await transaction.selectFrom('users').selectAll().execute();
      held.resolve();
      await released.promise;
    });
    await held.promise;
    const migrating = migrateToLatest(migrator, 'postgres', withLater({ '9998-nicknames': nicknames }));
    await waiting(sql`relation = 'users'::regclass and mode = 'AccessExclusiveLock'`);
    expect(await given.store.db.selectFrom('users').selectAll().execute()).toEqual([]);
    released.resolve();
    expect(await migrating).toEqual(['9998-nicknames']);
    await holding;
    await Promise.all([holder.destroy(), migrator.destroy()]);
  });

  test('a second gateway in another schema has its own tables', async () => {
    await sql`create schema second`.execute(given.store.db);
    await insertPartner(given.store.db, { clientId: 'first', name: 'First', now: 1 });
    const url = new URL(given.url);
    url.searchParams.set('options', '-c search_path=second');
    const second = await openStore({ url: url.href });
    expect(await listPartners(second.db, 10)).toEqual([]);
    await second.close();
    expect(await migrateToLatest(given.store.db, given.dialect, TABLE_SETS)).toEqual([]);
  });
});
