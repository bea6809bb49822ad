/** Tables with one owner, the core or a module, and how they are made and removed. */

import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The names of the tables of one owner. */
export interface OwnedTables {
  /** `core`, or the name of the module. */
  readonly owner: string;
  /** A table comes after those that it refers to. Tables of a module refer to its own and to those of the core. */
  readonly tables: readonly string[];
}

/** The tables of one owner. */
export interface TableSet extends OwnedTables {
  /** By name, `NNNN-<what>`, in order. The first one creates the tables. */
  readonly migrations: Readonly<Record<string, Migration>>;
}

type Dialect = 'sqlite' | 'postgres';

/**
 * The first migration of a set.
 *
 * Stores of the time before the sets have all of these tables already; there, it changes nothing.
 *
 * @param toStatements SQL that both dialects understand, each statement with a semicolon at its end. It begins with `create table`.
 */
export function createTables(toStatements: (dialect: Dialect) => string): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      const statements = toStatements(dialectOf(db))
        .split(';')
        .map((each) => each.trim());
      const [, first = ''] = /^create table (\w+)/.exec(statements[0] ?? '') ?? [];
      if (await hasTable(db, first)) return;
      for (const statement of statements) if (statement !== '') await sql.raw(statement).execute(db);
    },
  };
}

/** Which kind of database it is. */
export function dialectOf(db: Pick<Kysely<unknown>, 'getExecutor'>): Dialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/** Whether the store itself has a table: on SQLite, not in an attached file. */
export async function hasTable<Tables>(db: Kysely<Tables>, name: string): Promise<boolean> {
  const query =
    dialectOf(db) === 'sqlite'
      ? sql`select 1 from main.sqlite_master where type = 'table' and name = ${name}`
      : sql`select 1 from pg_class where relname = ${name} and relnamespace = current_schema()::regnamespace`;
  return (await query.execute(db)).rows.length > 0;
}

/** The migrations of all sets, each under the name by which the database records it: `NNNN-<what>` or `<module>/NNNN-<what>`. */
export function namedMigrations(sets: readonly TableSet[]): Record<string, Migration> {
  return Object.fromEntries(
    sets.flatMap(({ owner, migrations }) =>
      Object.entries(migrations).map(([name, migration]) => [recordedName(owner, name), migration]),
    ),
  );
}

function recordedName(owner: string, name: string): string {
  return owner === 'core' ? name : `${owner}/${name}`;
}

/**
 * Removes the tables of a module, with all their rows. The next gateway that has the module creates them again, empty.
 *
 * No gateway may have the module meanwhile.
 */
export async function eraseModule<Tables>(db: Kysely<Tables>, { owner, tables }: OwnedTables): Promise<void> {
  if (owner === 'core') throw new Error('the core cannot be without its tables');
  await db.transaction().execute(async (transaction) => {
    for (const table of tables.toReversed()) await transaction.schema.dropTable(table).ifExists().execute();
    await sql`delete from kysely_migration where name like ${`${owner}/%`}`.execute(transaction);
  });
}
