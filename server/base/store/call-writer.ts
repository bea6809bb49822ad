/** The thread that writes to the file of call records on SQLite: the entry of a worker, started by `call-file.ts`, which sends the path. */

import { parentPort } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import { type CallRecord, SQLITE_CALL_INSERT, toCallValues } from './repositories/call-records.ts';
import { SQLITE_TALLY_UPSERT, toTallyRows } from './repositories/calls/call-tallies.ts';

/** Work for the thread. */
export type CallWork =
  /** A JSON array of `CallRecord`, which costs the sender half of what a copy of the objects costs. */
  | { readonly id: number; readonly records: string }
  | { readonly id: number; readonly sql: string; readonly parameters: readonly unknown[] };

/** The result of a request; `code` is that of SQLite. */
export type CallReply = { readonly id: number } & (
  | { readonly rows: unknown[]; readonly changes: number }
  | { readonly problem: { readonly message: string; readonly code: unknown } }
);

/** Another process may write, or a removal of a user. Waiting blocks this thread only. */
const BUSY_TIMEOUT_MS = 10_000;

/** Pages of the write-ahead log (16 MB) after which they are copied into the file: most pages of the index are written many times before. */
const CHECKPOINT_PAGES = 4000;

/** An open file. */
interface CallFile {
  readonly database: SqliteDatabase.Database;
  insert(records: readonly CallRecord[]): void;
}

let file: CallFile | undefined;

function openFile(path: string): CallFile {
  const database = new SqliteDatabase(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  database.pragma('synchronous = normal');
  database.pragma('secure_delete = on');
  database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const insertCall = database.prepare(SQLITE_CALL_INSERT);
  const addTally = database.prepare(SQLITE_TALLY_UPSERT);
  const insert = database.transaction((records: readonly CallRecord[]) => {
    for (const record of records) insertCall.run(toCallValues(record));
    for (const tally of toTallyRows(records)) addTally.run(tally);
  }).immediate;
  return { database, insert };
}

function perform(work: CallWork): { rows: unknown[]; changes: number } {
  if (file === undefined) throw new Error('no file of call records is open');
  if ('records' in work) {
    file.insert(JSON.parse(work.records));
    return { rows: [], changes: 0 };
  }
  const statement = file.database.prepare(work.sql);
  if (statement.reader) return { rows: statement.all(work.parameters), changes: 0 };
  return { rows: [], changes: statement.run(work.parameters).changes };
}

function answer(work: CallWork): CallReply {
  try {
    return { id: work.id, ...perform(work) };
  } catch (error) {
    const { message, code } = error as { message: string; code?: unknown };
    return { id: work.id, problem: { message, code } };
  }
}

parentPort?.on('message', (work: CallWork | { readonly open: string } | 'close') => {
  if (work === 'close') {
    file?.database.close();
    file = undefined;
    parentPort?.postMessage('closed');
  } else if ('open' in work) {
    file = openFile(work.open);
  } else {
    parentPort?.postMessage(answer(work));
  }
});
