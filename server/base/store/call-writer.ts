/** The thread that writes to the file of call records on SQLite: the entry of a worker, started by `call-file.ts` with the path. */

import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import { type CallRecord, SQLITE_CALL_INSERT, toCallRow } from './repositories/call-records.ts';
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

const database = new SqliteDatabase(workerData, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
database.pragma('synchronous = normal');
database.pragma('secure_delete = on');
const insertCall = database.prepare(SQLITE_CALL_INSERT);
const addTally = database.prepare(SQLITE_TALLY_UPSERT);
const insertCalls = database.transaction((records: readonly CallRecord[]) => {
  for (const record of records) insertCall.run(toCallRow(record));
  for (const tally of toTallyRows(records)) addTally.run(tally);
}).immediate;

function perform(work: CallWork): { rows: unknown[]; changes: number } {
  if ('records' in work) {
    insertCalls(JSON.parse(work.records));
    return { rows: [], changes: 0 };
  }
  const statement = database.prepare(work.sql);
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

parentPort?.on('message', (work: CallWork | 'close') => {
  if (work !== 'close') return parentPort?.postMessage(answer(work));
  database.close();
  parentPort?.close();
});
