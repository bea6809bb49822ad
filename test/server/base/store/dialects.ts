/** Runs a suite on every dialect, each test in its own database. */

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../../../server/base/store/index.ts';
import type { TableSet } from '../../../../server/base/store/tables/table-set.ts';
import { skipBecause } from '../../../support/fuller-checks.ts';
import { openListeningStore, TABLE_SETS } from '../../../support/listening.ts';
import { createPostgresDatabase } from '../../../support/postgres-database.ts';
import { createSqliteDatabase, type TestDatabase } from './sqlite-database.ts';

/** The sets of this version, with more migrations of the core. */
export function withLater(migrations: Readonly<Record<string, Migration>>): TableSet[] {
  return TABLE_SETS.map((set) =>
    set.owner === 'core' ? { ...set, migrations: { ...set.migrations, ...migrations } } : set,
  );
}

/** The database of a test; fresh for each test. */
export interface DatabaseUnderTest {
  readonly dialect: 'sqlite' | 'postgres';
  /** To open it, here or in another process. */
  url: string;
}

/** The fixtures of a test; fresh for each test. */
export interface StoreUnderTest extends DatabaseUnderTest {
  store: Store;
}

const POSTGRES_URL = process.env.TEST_DATABASE_URL;

/**
 * Defines the suite once per dialect, each test with an open store. PostgreSQL needs `TEST_DATABASE_URL`; without it the suite is skipped and says so. SQLite is left out where
 * `npm test` has just run it: see `chooseTests` of `test/quick.ts`.
 */
export function describeStore(title: string, define: (given: StoreUnderTest) => void): void {
  describeDatabase(title, withStore(define));
}

/** Defines a suite for PostgreSQL only. */
export function describePostgres(title: string, define: (given: StoreUnderTest) => void): void {
  describePostgresDatabase(title, withStore(define));
}

/** Defines a suite once per dialect, whose tests open the database themselves. */
export function describeDatabase(title: string, define: (given: DatabaseUnderTest) => void): void {
  if (process.env.SQLITE_HAS_PASSED !== '1')
    describe(`${title} on SQLite`, () => defineOn('sqlite', createSqliteDatabase, define));
  describePostgresDatabase(title, define);
}

function describePostgresDatabase(title: string, define: (given: DatabaseUnderTest) => void): void {
  if (POSTGRES_URL === undefined || POSTGRES_URL === '') {
    skipBecause(`${title} on PostgreSQL: TEST_DATABASE_URL is not set (.ci/run starts a server)`);
    describe.skip(`${title} on PostgreSQL needs a server: set TEST_DATABASE_URL to its address`, () =>
      defineOn('postgres', () => createPostgresDatabase(''), define));
  } else {
    describe(`${title} on PostgreSQL`, () =>
      defineOn('postgres', () => createPostgresDatabase(POSTGRES_URL, process.env.TEST_DATABASE_TEMPLATE), define));
  }
}

function defineOn(
  dialect: DatabaseUnderTest['dialect'],
  create: () => Promise<TestDatabase>,
  define: (given: DatabaseUnderTest) => void,
): void {
  const given = { dialect } as DatabaseUnderTest;
  let database: TestDatabase;
  beforeEach(async () => {
    database = await create();
    given.url = database.url;
  });
  afterEach(() => database.remove());
  define(given);
}

/** Opens the store for each test. */
function withStore(define: (given: StoreUnderTest) => void): (given: DatabaseUnderTest) => void {
  return (database) => {
    const given = database as StoreUnderTest;
    beforeEach(async () => {
      given.store = await openListeningStore({ url: given.url });
    });
    afterEach(() => given.store.close());
    define(given);
  };
}

/** Removes every table, with the record of migrations. */
export async function emptyDatabase({ store: { db }, dialect }: StoreUnderTest): Promise<void> {
  if (dialect === 'postgres') {
    await sql`drop schema public cascade`.execute(db);
    await sql`create schema public`.execute(db);
    return;
  }
  await sql`pragma foreign_keys = off`.execute(db);
  for (const { name } of await db.introspection.getTables({ withInternalKyselyTables: true }))
    await db.schema.dropTable(name).execute();
  await sql`pragma foreign_keys = on`.execute(db);
}
