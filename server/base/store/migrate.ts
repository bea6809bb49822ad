/** Brings the tables up to date while gateways of an older version keep serving. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { moveCalls } from './call-file.ts';
import { hasTable, namedMigrations, recordedName, type TableSet } from './tables/table-set.ts';
import { StoreUnavailableError } from './unavailable.ts';

/** SQLSTATE of a lock timeout and of a deadlock. Both roll back everything. */
const IN_USE = new Set(['55P03', '40P01']);

const MAX_ATTEMPTS = 300;
const MAX_PAUSE_MS = 1_000;

/** Kysely's own, so that versions that leave it to Kysely take turns with this one. */
const MIGRATION_LOCK = 3853314791062309107n;

const TABLE_IN_USE =
  'The database that DATABASE_URL names needs a migration, but another program has held a table for minutes: let it ' +
  'finish (pg_stat_activity names it), then start again.';

const CONTRACT = /^(?:(?<module>[^/]+)\/)?\d{4}-contract-after-(?<last>\d{4})-/;

/**
 * Runs the pending migrations in one transaction.
 *
 * Processes that start together take turns: on PostgreSQL by an advisory lock of the transaction, on SQLite by the write transaction. On
 * PostgreSQL, the migration tables are in the current schema, so that several gateways can share one database. While a
 * migration waits for a table, statements of other gateways queue behind it, so it gives up early and tries again.
 *
 * A database that a newer gateway migrated is used as it is, because migrations only add what older gateways can
 * ignore. The exception is a contract migration that this version does not support. Migrations of modules that are not
 * among the sets are ignored.
 *
 * @param sets those of the core and of the modules.
 * @returns the names of the migrations that ran.
 * @throws {StoreUnavailableError} after a contract migration of a newer gateway, and for a database from before the
 * baseline. Another error if a migration fails; nothing is changed then.
 */
export async function migrateToLatest<Tables>(
  db: Kysely<Tables>,
  dialect: 'sqlite' | 'postgres',
  sets: readonly TableSet[],
): Promise<string[]> {
  const ran = await runPending(db, dialect, sets);
  if (dialect === 'sqlite') await moveCalls(db);
  return ran;
}

async function runPending<Tables>(
  db: Kysely<Tables>,
  dialect: 'sqlite' | 'postgres',
  sets: readonly TableSet[],
): Promise<string[]> {
  const schema = dialect === 'postgres' ? { migrationTableSchema: await currentSchema(db) } : {};
  const migrations = namedMigrations(sets);
  for (let attemptNumber = 1; ; attemptNumber += 1) {
    let unknownNames: string[] = [];
    const migrate = async (executor: Kysely<Tables>): Promise<string[]> => {
      const applied = await listMigrations(executor);
      unknownNames = findUnknown(applied, sets);
      if (Object.keys(migrations).every((name) => applied.includes(name))) return [];
      const getMigrations = async () => ({
        ...Object.fromEntries(unknownNames.map((name) => [name, RAN])),
        ...migrations,
      });
      // Unordered: the migrations of a module that is switched on later run after newer ones of the core.
      const options = { db: executor, provider: { getMigrations }, allowUnorderedMigrations: true, ...schema };
      const { error, results = [] } = await new Migrator(options).migrateToLatest();
      if (error !== undefined) throw error;
      return results.map(({ migrationName }) => migrationName);
    };
    try {
      return await (dialect === 'postgres' ? withMigrationLock(db, migrate) : migrate(db));
    } catch (error) {
      const isInUse = error instanceof Error && 'code' in error && IN_USE.has(String(error.code));
      const wasOvertaken = findUnknown(await listMigrations(db), sets).length > unknownNames.length;
      if (!(isInUse || wasOvertaken)) throw error;
      if (attemptNumber === MAX_ATTEMPTS) throw new StoreUnavailableError(TABLE_IN_USE);
      await sleep(Math.random() * MAX_PAUSE_MS);
    }
  }
}

/**
 * Holds Kysely's lock for as long as the transaction. Kysely alone holds it for as long as the session, which a pooler changes between two
 * statements.
 */
async function withMigrationLock<Tables, Result>(
  db: Kysely<Tables>,
  act: (transaction: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction);
    return act(transaction);
  });
}

/** Placeholder for a migration that ran already and that this version does not have. */
const RAN: Migration = { up: () => Promise.reject(new Error('a migration of another version is to run')) };

/**
 * Those of the migrations on a database that are not in the sets.
 *
 * @throws {StoreUnavailableError} if this version cannot use the result.
 */
function findUnknown(applied: readonly string[], sets: readonly TableSet[]): string[] {
  requireBaselines(applied, sets);
  const migrations = namedMigrations(sets);
  const unknown = applied.filter((name) => migrations[name] === undefined);
  const broken = unknown.find((name) => isIncompatible(name, sets));
  if (broken === undefined) return unknown;
  throw new StoreUnavailableError(
    `A newer gateway ran the migration "${broken}" on the database that DATABASE_URL names, and this version cannot use ` +
      'what it left: start a newer version, or restore a backup from before it (docs/guides/store.md).',
  );
}

/** @throws {StoreUnavailableError} for a database with tables of a set that are older than its baseline. */
function requireBaselines(applied: readonly string[], sets: readonly TableSet[]): void {
  for (const { owner, baseline, replaces } of sets) {
    const names = migrationsOf(owner, applied);
    if (replaces === undefined || names.length === 0 || names.includes(baseline) || names.includes(replaces)) continue;
    throw new StoreUnavailableError(
      `The newest migration on the database that DATABASE_URL names is "${recordedName(owner, names.at(-1) ?? '')}". This version upgrades ` +
        `databases from "${recordedName(owner, replaces)}" on: first start version 0.1.0 on it, which runs the migrations up to that ` +
        'one, and then this version.',
    );
  }
}

/** The migrations of one owner, without the owner's name. */
function migrationsOf(owner: string, applied: readonly string[]): string[] {
  if (owner === 'core') return applied.filter((name) => !name.includes('/'));
  return applied.filter((name) => name.startsWith(`${owner}/`)).map((name) => name.slice(owner.length + 1));
}

function isIncompatible(name: string, sets: readonly TableSet[]): boolean {
  const { module: owner = 'core', last = '' } = CONTRACT.exec(name)?.groups ?? {};
  const set = sets.find((each) => each.owner === owner);
  if (set === undefined) return false;
  const newest = [set.baseline, ...Object.keys(set.migrations)].toSorted().at(-1) ?? '';
  return last > newest.slice(0, 4);
}

/** The action of the next start on a database, from the names of its migrations. */
export interface MigrationState {
  readonly applied: readonly string[];
  /** Migrations that the next start runs. */
  readonly pending: readonly string[];
  /** Migrations of a newer gateway. */
  readonly unknown: readonly string[];
}

/**
 * Compares the migrations of a database with those of this version.
 *
 * @param applied their names, in order.
 * @throws {StoreUnavailableError} for a database from before the baseline.
 */
export function compareMigrations(applied: readonly string[], sets: readonly TableSet[]): MigrationState {
  requireBaselines(applied, sets);
  const names = Object.keys(namedMigrations(sets));
  const newer = sets.flatMap(({ owner, baseline }) =>
    migrationsOf(owner, applied)
      .filter((name) => name > baseline)
      .map((name) => recordedName(owner, name)),
  );
  return {
    applied,
    pending: names.filter((name) => !applied.includes(name)),
    unknown: newer.filter((name) => !names.includes(name)),
  };
}

/** The names of the migrations that ran on the database, in order; none on an empty database. */
export async function listMigrations<Tables>(db: Kysely<Tables>): Promise<string[]> {
  if (!(await hasTable(db, 'kysely_migration'))) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

async function currentSchema<Tables>(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(db);
  const schema = rows[0]?.schema;
  if (schema == null) throw new Error('the database has no schema that its search_path names');
  return schema;
}
