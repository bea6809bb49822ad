/** Backs up a SQLite store while the gateway writes to it. */

import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { LAST_CALLS_TABLE, toCallsPath } from '../../server/base/store/call-file.ts';
import { openSqliteReader } from '../../server/base/store/sqlite.ts';
import { explainSqlite, StoreUnavailableError } from '../../server/base/store/unavailable.ts';
import { FailureError } from '../../shared/cli/run.ts';

/**
 * Writes a snapshot of the store to a new file that only this account can read.
 *
 * `vacuum into` reads in one transaction, so it neither blocks the gateway's writers nor restarts when they write, as SQLite's backup
 * interface does for every write of another process. Call records are read after that, and are in the same file. It gets its name when it is
 * complete.
 *
 * @param from path of the store. @param to path of the backup.
 * @returns its size in bytes.
 * @throws {FailureError} in one sentence; no file is left then.
 */
export function backUpFile(from: string, to: string): number {
  if (existsSync(to)) throw new FailureError(`${to} already exists: name another file.`);
  if (!existsSync(dirname(to)))
    throw new FailureError(`There is no folder ${dirname(to)}: create it, or correct the path.`);
  const draft = `${to}.unfinished`;
  const source = openSource(from);
  const previousUmask = process.umask(0o077);
  try {
    rmSync(draft, { force: true });
    source.prepare('vacuum into ?').run(draft);
    addCalls(draft, toCallsPath(from));
    checkFile(draft);
    sync(draft);
    renameSync(draft, to);
    sync(dirname(to));
  } catch (error) {
    removeQuietly(draft);
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new FailureError(`The backup cannot be written: ${error.message} (${error.code}).`);
  } finally {
    source.close();
    process.umask(previousUmask);
  }
  return statSync(to).size;
}

/** Copies call records and tallies into the backup of their store, where `moveCalls` finds them. */
function addCalls(draft: string, calls: string): void {
  if (!existsSync(calls)) return;
  const database = new SqliteDatabase(draft);
  try {
    database.pragma('synchronous = off');
    database.prepare('attach ? as calls').run(calls);
    const schemaQuery = database.prepare<[], { name: string; type: string; sql: string }>(
      `select name, type, sql from calls.sqlite_master
        where type in ('table', 'index') and sql is not null and name <> '${LAST_CALLS_TABLE}'
          and name not in (select name from main.sqlite_master) order by type = 'index'`,
    );
    database.transaction(() => {
      for (const { name, type, sql } of schemaQuery.all()) {
        database.exec(sql);
        if (type === 'table') database.exec(`insert into main."${name}" select * from calls."${name}"`);
      }
    })();
  } finally {
    database.close();
  }
}

/** Removes a file if possible. Whatever prevented creating it may also prevent removing it. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}

function openSource(path: string): SqliteDatabase.Database {
  try {
    const source = openSqliteReader(path);
    source.pragma('schema_version');
    return source;
  } catch (error) {
    const explained = explainSqlite(path, error);
    throw explained instanceof StoreUnavailableError ? new FailureError(explained.message) : explained;
  }
}

/** Checks that a file is an intact SQLite store. @throws {FailureError} */
export function checkFile(path: string): void {
  const database = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
  try {
    const [result] = database.pragma('integrity_check(1)') as { integrity_check: string }[];
    if (result?.integrity_check !== 'ok')
      throw new FailureError(`SQLite finds ${path} damaged: ${result?.integrity_check}.`);
    if (database.prepare("select 1 from sqlite_master where name = 'kysely_migration'").get() === undefined) {
      throw new FailureError(`${path} is a SQLite database, but not of a gateway.`);
    }
  } catch (error) {
    if (!(error instanceof SqliteDatabase.SqliteError)) throw error;
    throw new FailureError(
      error.code === 'SQLITE_NOTADB'
        ? `${path} is not a SQLite database.`
        : `SQLite cannot read ${path}: ${error.message}.`,
    );
  } finally {
    database.close();
  }
}

/** Makes a file, or the entries of a folder, survive a loss of power. */
export function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
