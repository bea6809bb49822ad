/** Brings the tables up to date while gateways of an older version keep serving. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { MIGRATIONS } from './migrations/index.ts';
import { StoreUnavailableError } from './unavailable.ts';

/** SQLSTATE of a lock timeout and of a deadlock. Both roll back everything. */
const IN_USE = new Set(['55P03', '40P01']);

const MAX_ATTEMPTS = 300;
const MAX_PAUSE_MS = 1_000;

const TABLE_IN_USE =
  'The database that DATABASE_URL names needs a migration, but another program has held a table for minutes: let it ' +
  'finish (pg_stat_activity names it), then start again.';

const CONTRACT = /^\d{4}-contract-after-(\d{4})-/;

/**
 * Runs the pending migrations in one transaction.
 *
 * Processes that start together take turns: on PostgreSQL by an advisory lock, on SQLite by the write transaction. On
 * PostgreSQL, the migration tables are in the current schema, so that several gateways can share one database. While a
 * migration waits for a table, statements of other gateways queue behind it, so it gives up early and tries again.
 *
 * A database that a newer gateway migrated is used as it is, because migrations only add what older gateways can
 * ignore. The exception is a contract migration that this version does not support.
 *
 * @param migrations by name, in order. Default: those of this version.
 * @returns the names of the migrations that ran.
 * @throws {StoreUnavailableError} after a contract migration of a newer gateway. Another error if a migration fails;
 * nothing is changed then.
 */
export async function migrateToLatest<Tables>(
  db: Kysely<Tables>,
  dialect: 'sqlite' | 'postgres',
  migrations: Readonly<Record<string, Migration>> = MIGRATIONS,
): Promise<string[]> {
  const schema = dialect === 'postgres' ? { migrationTableSchema: await currentSchema(db) } : {};
  for (let made = 1; ; made += 1) {
    const later = await findLater(db, migrations);
    const getMigrations = async () => ({ ...Object.fromEntries(later.map((name) => [name, RAN])), ...migrations });
    const migrator = new Migrator({ db, provider: { getMigrations }, ...schema });
    const { error, results } = await migrator.migrateToLatest();
    if (error === undefined) return (results ?? []).map((result) => result.migrationName);
    const isInUse = error instanceof Error && 'code' in error && IN_USE.has(String(error.code));
    const wasOvertaken = (await findLater(db, migrations)).length > later.length;
    if (!(isInUse || wasOvertaken)) throw error;
    if (made === MAX_ATTEMPTS) throw new StoreUnavailableError(TABLE_IN_USE);
    await sleep(Math.random() * MAX_PAUSE_MS);
  }
}

/** Placeholder for a migration that a newer gateway ran. */
const RAN: Migration = { up: () => Promise.reject(new Error('a migration of a newer gateway is to run')) };

/** Names of a newer gateway's migrations. @throws {StoreUnavailableError} if this version cannot use the result. */
async function findLater<Tables>(
  db: Kysely<Tables>,
  migrations: Readonly<Record<string, Migration>>,
): Promise<string[]> {
  const later = (await listMigrations(db)).filter((name) => migrations[name] === undefined);
  const newest = Object.keys(migrations).toSorted().at(-1) ?? '';
  const broken = later.find((name) => (CONTRACT.exec(name)?.[1] ?? '') > newest.slice(0, 4));
  if (broken === undefined) return later;
  throw new StoreUnavailableError(
    `A newer gateway ran the migration "${broken}" on the database that DATABASE_URL names, and this version cannot use ` +
      'what it left: start a newer version, or restore a backup from before it (docs/guides/store.md).',
  );
}

/** The names of the migrations that ran on the database, in order; none on an empty database. */
export async function listMigrations<Tables>(db: Kysely<Tables>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const schema = tables.some((table) => table.schema !== undefined) ? await currentSchema(db) : undefined;
  if (!tables.some((table) => table.name === 'kysely_migration' && table.schema === schema)) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

async function currentSchema<Tables>(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(db);
  const schema = rows[0]?.schema;
  if (schema == null) throw new Error('the database has no schema that its search_path names');
  return schema;
}
