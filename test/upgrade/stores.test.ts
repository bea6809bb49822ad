import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { openStore } from '../../server/base/store/index.ts';
import { listMigrations, migrateToLatest } from '../../server/base/store/migrate.ts';
import { CORE_TABLES } from '../../server/base/store/schema.ts';
import { eraseModule, namedMigrations } from '../../server/base/store/tables/table-set.ts';
import { TABLES_OF_REMOVED_MODULES } from '../../server/modules/index.ts';
import { describeStore, emptyDatabase, type StoreUnderTest } from '../server/base/store/dialects.ts';
import { readEveryTable } from '../server/base/store/every-table.ts';
import { TABLE_SETS } from '../support/listening.ts';
import { readCatalogue, readPlaces } from './catalogue.ts';

const BASELINES = Object.keys(namedMigrations(TABLE_SETS)).filter((name) => name.endsWith('-baseline'));

async function load({ url, dialect }: StoreUnderTest): Promise<void> {
  const text = await readFile(join(import.meta.dirname, 'stores', `0042-open-consents.${dialect}.sql`), 'utf8');
  if (dialect === 'sqlite') {
    new SqliteDatabase(url.slice('sqlite:'.length)).exec(text).close();
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

const parsed = (tables: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, rows.map((row) => JSON.parse(row))]));

/** SQLite keeps the statement of a table, which changes when a column is added. */
const unworded = (places: readonly Readonly<Record<string, unknown>>[]) => places.map(({ sql: _, ...place }) => place);

describeStore('a store from before the baseline, with rows in every table', (given) => {
  test('has the tables of a new one, column by column and index by index, once those of removed modules are erased', async () => {
    const created = await readCatalogue(given);
    await emptyDatabase(given);
    await load(given);
    await migrateToLatest(given.store.db, given.dialect, TABLE_SETS);
    for (const removed of TABLES_OF_REMOVED_MODULES) await eraseModule(given.store.db, removed.owner, removed.tables);
    expect(await readCatalogue(given)).toEqual(created);
  });

  test('is opened as it is: no table is rebuilt, and nothing in a row changes', async () => {
    await emptyDatabase(given);
    await load(given);
    const rows = await readEveryTable(given);
    const places = (await readPlaces(given)).filter(
      ({ name }) => !/^(sqlite_autoindex_)?call_(records|tallies)/.test(String(name)),
    );
    expect(Object.entries(rows).filter(([, { length }]) => length === 0)).toEqual([]);
    await (await openStore({ url: given.url, sets: TABLE_SETS })).close();
    expect(parsed(await readEveryTable(given))).toMatchObject(parsed(rows));
    expect(unworded(await readPlaces(given))).toEqual(expect.arrayContaining(unworded(places)));
    expect(await listMigrations(given.store.db)).toEqual(expect.arrayContaining(BASELINES));
    expect(await migrateToLatest(given.store.db, given.dialect, TABLE_SETS)).toEqual([]);
  });

  test('is refused if its last migrations are missing, and the message says what upgrades it', async () => {
    await emptyDatabase(given);
    await load(given);
    await sql`delete from kysely_migration where name = '0042-open-consents'`.execute(given.store.db);
    await expect(openStore({ url: given.url })).rejects.toThrow(
      'The newest migration on the database that DATABASE_URL names is "0041-user-prefixes". This version upgrades ' +
        'databases from "0042-open-consents" on: first start version 0.1.0 on it, which runs the migrations up to that ' +
        'one, and then this version.',
    );
    expect(await listMigrations(given.store.db)).not.toContain(CORE_TABLES.baseline);
  });
});
