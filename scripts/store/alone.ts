/** Opens a database for work during which no gateway may run. */

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { Kysely, sql } from 'kysely';
import { migrateToLatest } from '../../server/base/store/migrate.ts';
import type { Database } from '../../server/base/store/schema.ts';
import { createSqliteDialect, openSqliteFile } from '../../server/base/store/sqlite.ts';
import { explainPostgres, explainSqlite, StoreUnavailableError } from '../../server/base/store/unavailable.ts';
import { tableSetsOf } from '../../server/module.ts';
import { loadModules } from '../../server/modules/index.ts';
import { FailureError } from '../../shared/cli/run.ts';

/** A database whose tables are up to date, on one connection without a timeout. */
export interface OpenDatabase {
  readonly dialect: 'sqlite' | 'postgres';
  readonly db: Kysely<Database>;
  /** Gateway connections to the same PostgreSQL database at the time of opening. Zero for a SQLite file. */
  readonly gateways: number;
  close(): Promise<void>;
}

/**
 * Opens a database. A SQLite file stays locked until it is closed: no other process can open it.
 *
 * @param setting the setting or option that names it, for messages, such as `--from`.
 * @throws {FailureError} in one sentence, including when another process has the file open.
 */
export async function openAlone(url: string, setting: string): Promise<OpenDatabase> {
  const opening = url.startsWith('sqlite:') ? openFile(toPath(url), setting) : openServer(url, setting);
  return opening.catch((error: unknown) => {
    throw error instanceof StoreUnavailableError ? new FailureError(error.message) : error;
  });
}

/** @param url `sqlite:<path>`. */
export function toPath(url: string): string {
  return resolve(url.slice('sqlite:'.length));
}

/** @throws {FailureError} if the file does not exist. */
export function requireFile(path: string, setting: string): void {
  if (!existsSync(path)) throw new FailureError(`${setting} names ${path}, and there is no such file.`);
}

async function openFile(path: string, setting: string): Promise<OpenDatabase> {
  if (!existsSync(dirname(path))) {
    throw new FailureError(
      `${setting} names ${path}, but there is no folder ${dirname(path)}: create it, or correct the path.`,
    );
  }
  const file = await openSqliteFile(path).catch((error: unknown) => {
    throw explainSqlite(path, error, setting);
  });
  try {
    lock(file);
    const db = new Kysely<Database>({ dialect: createSqliteDialect(file) });
    await migrateToLatest(db, 'sqlite', tableSetsOf(loadModules()));
    return { dialect: 'sqlite', db, gateways: 0, close: () => db.destroy() };
  } catch (error) {
    file.close();
    throw error;
  }
}

/**
 * Checks that no other process has the file open. Ignores files that are damaged or not a store, because no process can use them.
 *
 * @throws {FailureError} if another process has the file open.
 */
export function requireStopped(path: string): void {
  const file = new SqliteDatabase(path, { timeout: 0 });
  try {
    lock(file);
  } catch (error) {
    if (error instanceof FailureError) throw error;
  } finally {
    file.close();
  }
}

/** Locks until the file is closed. A process that has read the file in WAL mode holds a lock even while idle. */
function lock(file: SqliteDatabase.Database): void {
  try {
    file.pragma('locking_mode = exclusive');
    file.exec('begin exclusive; commit');
  } catch (error) {
    const isOpen = error instanceof SqliteDatabase.SqliteError && error.code === 'SQLITE_BUSY';
    if (!isOpen) throw error;
    throw new FailureError(
      `Another process has ${file.name} open: stop the gateway, and whatever else reads it, first.`,
    );
  }
}

async function openServer(url: string, setting: string): Promise<OpenDatabase> {
  const { createPostgresDialect, createPostgresPool } = await import('../../server/base/store/postgres.ts');
  const pool = createPostgresPool({ url, onError: () => {}, patient: true });
  const db = new Kysely<Database>({ dialect: createPostgresDialect(pool) });
  try {
    await migrateToLatest(db, 'postgres', tableSetsOf(loadModules()));
    const { rows } = await sql<{ others: number }>`
      select count(*) as others from pg_stat_activity
       where datname = current_database() and application_name = 'unified-tool-gateway' and pid <> pg_backend_pid()`.execute(
      db,
    );
    return { dialect: 'postgres', db, gateways: rows[0]?.others ?? 0, close: () => db.destroy() };
  } catch (error) {
    await db.destroy();
    throw explainPostgres(url, error, setting);
  }
}
