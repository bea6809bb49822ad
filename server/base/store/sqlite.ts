/** SQLite: one connection that writes the store, with the file of call records attached, and a second one that only reads. */

import { chmodSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Kysely,
  SqliteAdapter,
  type SqliteDatabase as SqliteDatabaseOfKysely,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { attachCalls, LAST_CALLS_TABLE } from './call-file.ts';
import { refuseNul } from './statements.ts';
import { SQLITE_CHANGES_TABLE } from './tables/count-changes.ts';
import { StoreUnavailableError } from './unavailable.ts';

/** Time for which SQLite itself waits for another writer. This wait blocks the thread, so our own retries wait longer. */
const BLOCKING_TIMEOUT_MS = 5;

/** Time for which a statement is retried while another writer is busy. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Opens the file and that of call records. Creates missing files, readable by this account only.
 *
 * Journal mode WAL lets readers and one writer work at the same time, in any processes. SQLite's busy timeout does not
 * cover the switch to WAL, and several processes may attempt it on a new file at once.
 *
 * @param attach attaches the file of call records as `calls`.
 */
export async function openSqliteFile(
  path: string,
  attach: (database: SqliteDatabase.Database) => void = (database) => attachCalls(database, path),
): Promise<SqliteDatabase.Database> {
  const database = new SqliteDatabase(path, { timeout: BLOCKING_TIMEOUT_MS });
  try {
    await retryWhileBusy(() => database.pragma('journal_mode = wal'));
    chmodSync(path, 0o600);
    await retryWhileBusy(() => attach(database));
    await retryWhileBusy(() => database.pragma('calls.journal_mode = wal'));
    for (const schema of ['main', 'calls']) {
      database.pragma(`${schema}.synchronous = normal`);
      database.pragma(`${schema}.secure_delete = on`);
    }
    database.pragma('foreign_keys = on');
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** Longest wait for another starting gateway to write its name into the lock file. */
const HOLDER_TIMEOUT_MS = 1_000;

/**
 * Holds the file for one gateway: a lock of the operating system on `<path>.lock`, which ends with the process, however that ends. Commands
 * do not ask for it, and can open the file itself.
 *
 * @throws {StoreUnavailableError} naming the process that holds it. @returns ends the hold.
 */
export function holdSqliteFile(path: string): () => void {
  const lock = new SqliteDatabase(`${realpathSync(path)}.lock`, { timeout: HOLDER_TIMEOUT_MS });
  try {
    chmodSync(lock.name, 0o600);
    lock.exec('create table if not exists holder (pid integer, host text); begin immediate; delete from holder');
    lock.prepare('insert into holder values (?, ?)').run(process.pid, hostname());
    // A transaction that has written nothing lets others read who holds the lock.
    lock.exec('commit; begin immediate');
    return () => lock.close();
  } catch (error) {
    const isHeld = error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY');
    const { pid, host } = isHeld ? (lock.prepare<[], Holder>('select pid, host from holder').get() ?? {}) : {};
    lock.close();
    if (!isHeld) throw error;
    const holder = pid === undefined ? 'another gateway' : `another gateway, process ${pid} on ${host},`;
    throw new StoreUnavailableError(
      `DATABASE_URL names ${path}, which ${holder} uses. Stop it first; or, to run several, give all of them one PostgreSQL database: DATABASE_URL=postgres://... (utg store copy --to postgres://...).`,
    );
  }
}

interface Holder {
  readonly pid?: number;
  readonly host?: string;
}

/** Opens the same file for reading only: what it sees is committed. */
export function openSqliteReader(path: string): SqliteDatabase.Database {
  return new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: BLOCKING_TIMEOUT_MS });
}

/** Creates the Kysely dialect for an open file. */
export function createSqliteDialect(database: SqliteDatabase.Database): Dialect {
  return {
    createDriver: () => new ImmediateSqliteDriver(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalSqliteAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new BothFilesIntrospector(db),
  };
}

/** Lists the tables of both files, which a copy has; a table that is in both is the store's. */
class BothFilesIntrospector extends SqliteIntrospector {
  readonly #calls: SqliteIntrospector;

  constructor(db: Kysely<unknown>) {
    super(db);
    this.#calls = new SqliteIntrospector(db.withSchema('calls'));
  }

  override async getTables(options?: Parameters<SqliteIntrospector['getTables']>[0]) {
    const tables = (await super.getTables(options)).filter(({ name }) => name !== SQLITE_CHANGES_TABLE);
    const callTables = (await this.#calls.getTables(options)).filter(
      ({ name }) => name !== LAST_CALLS_TABLE && !tables.some((table) => table.name === name),
    );
    return [...tables, ...callTables].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** Changes nothing, and takes the write lock of the store; `begin immediate` would take that of call records too. */
const LOCK = 'delete from kysely_migration where false';

/**
 * Begins every transaction as a writer.
 *
 * A deferred transaction that reads first and writes later fails if another process wrote in between,
 * and a busy timeout does not help.
 */
class ImmediateSqliteDriver extends SqliteDriver {
  readonly #database: SqliteDatabase.Database;
  readonly #prepared = new WeakSet<DatabaseConnection>();
  #lock: SqliteDatabase.Statement | undefined;

  constructor(database: SqliteDatabase.Database) {
    super({ database: database as SqliteDatabaseOfKysely });
    this.#database = database;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    if (!this.#prepared.has(connection)) {
      this.#prepared.add(connection);
      waitWhileBusy(refuseNul(connection));
    }
    return connection;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin'));
    try {
      this.#lock ??= this.#database.prepare(LOCK);
      await retryWhileBusy(() => this.#lock?.run());
    } catch (error) {
      await this.rollbackTransaction(connection);
      throw error;
    }
  }

  /** SQLite rolls back by itself on errors such as a full disk; a second rollback would hide the first error. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}

/** Runs migrations in one transaction, which SQLite supports, so that processes that start together take turns. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Makes a connection retry a statement while another writer is busy. A refused statement has changed nothing. */
function waitWhileBusy(connection: DatabaseConnection): void {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = (...query) => retryWhileBusy(() => execute(...query));
}

/** Retries while another writer is busy, without blocking the thread. @throws SQLite's own error after ten seconds. */
export async function retryWhileBusy<Result>(attempt: () => Result | Promise<Result>): Promise<Result> {
  const deadline = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      const result = attempt();
      return result instanceof Promise ? await result : result;
    } catch (error) {
      const busy = error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!busy || Date.now() > deadline) throw error;
      await sleep(1 + Math.random() * 10);
    }
  }
}
