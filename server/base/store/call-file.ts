/**
 * Call records and tallies on SQLite, in a separate file, `<store>.calls`, which a thread writes. Its lock and its changes do not affect the store,
 * and no batch stops the event loop.
 */

import { chmodSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type SqliteDatabase from 'better-sqlite3';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import type { CallReply, CallWork } from './call-writer.ts';
import type { CallRecord } from './repositories/call-records.ts';
import { CORE_TABLES, type Database } from './schema.ts';
import { createIndexes, createTable, type Table } from './tables/table-set.ts';

const TABLES: readonly (readonly [name: string, table: Table])[] = Object.entries(CORE_TABLES.tables).filter(
  ([, table]) => 'inCallFile' in table,
);

/** The tables in it. A later migration that changes more of them than columns and indexes changes `moveCalls`, too. */
export const CALL_TABLES: readonly string[] = TABLES.map(([name]) => name);

/** The path of the file that belongs to a store. */
export function toCallsPath(path: string): string {
  return `${path}.calls`;
}

/**
 * The id of the last call under each grant, which triggers keep: an index of every call by its grant would take a fifth of the file. SQLite has it only,
 * and it is no part of the schema.
 */
export const LAST_CALLS_TABLE = 'last_calls';

const FILL_LAST_CALLS = `insert into calls.${LAST_CALLS_TABLE}
  select grant_id, max(id) from calls.call_records where grant_id is not null group by grant_id`;

const CREATE_LAST_CALLS = [
  `create table calls.${LAST_CALLS_TABLE} (grant_id text primary key, call_id text not null) without rowid`,
  FILL_LAST_CALLS,
  `create trigger calls.${LAST_CALLS_TABLE}_insert after insert on call_records when new.grant_id is not null begin
    insert into ${LAST_CALLS_TABLE} values (new.grant_id, new.id)
      on conflict (grant_id) do update set call_id = excluded.call_id where excluded.call_id > call_id;
  end`,
  `create trigger calls.${LAST_CALLS_TABLE}_delete after delete on call_records when old.grant_id is not null begin
    delete from ${LAST_CALLS_TABLE} where grant_id = old.grant_id and call_id = old.id;
  end`,
];

const HAS_RANDOM_ID = "id like '________-____-4%'";

/**
 * SQL for the id of a call record. A random one (UUID version 4) becomes one that begins with the time of the call (version 7), as `newId` makes them:
 * rows are sorted, found and purged by it. The same row always gets the same id. No other row refers to a call.
 */
const ID_WITH_TIME = `case when ${HAS_RANDOM_ID}
  then format('%08x-%04x-7', created_at >> 16, created_at & 65535) || substr(id, 16) else id end`;

const PUT_TIMES_INTO_IDS = `update calls.call_records set id = ${ID_WITH_TIME} where ${HAS_RANDOM_ID}`;

/** Indexes of the version before, which slow down every record. That version creates them again when it opens the file. */
const FORMER_INDEXES = ['call_records_by_time', 'call_records_of_grant', 'call_records_of_user'];

/** Lets a connection read and write both files: the other one is its schema `calls`. Creates a missing file. */
export function attachCalls(database: SqliteDatabase.Database, path: string): void {
  database.prepare('attach ? as calls').run(toCallsPath(path));
  chmodSync(toCallsPath(path), 0o600);
}

/**
 * Creates the tables of the file, and moves there what the store itself has: one of an older version, a new one, or a backup, which is
 * one file.
 *
 * The rows are on disk in the file before they are removed from the store, because SQLite does not commit to two files at once. A move that was
 * interrupted is made again. Rows that are there already stay.
 */
export async function moveCalls<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const [name, table] of TABLES) await sql.raw(createTable(name, table, 'sqlite')).execute(db);
  const moved = await db.transaction().execute(async (transaction) => {
    // Before anything of the file is read: a lock cannot be had after another process wrote to what was read.
    await sql.raw(LOCK).execute(transaction);
    for (const [name, table] of TABLES) await addMissingColumns(transaction, name, table);
    const { rows } = await sql<{ name: string }>`select name from main.sqlite_master where type = 'table'`.execute(
      transaction,
    );
    const tables = CALL_TABLES.filter((table) => rows.some(({ name }) => name === table));
    const isOlder = (await listColumns(transaction, 'calls', LAST_CALLS_TABLE)).length === 0;
    if (isOlder) await sql.raw(PUT_TIMES_INTO_IDS).execute(transaction);
    for (const name of tables) {
      const columns = await listColumns(transaction, 'main', name);
      const list = sql.join(columns.map((column) => sql.ref(column)));
      const values = columns.map((column) =>
        name === 'call_records' && column === 'id' ? sql.raw(ID_WITH_TIME) : sql.ref(column),
      );
      await sql`insert or ignore into ${sql.table(`calls.${name}`)} (${list})
        select ${sql.join(values)} from ${sql.table(`main.${name}`)}`.execute(transaction);
    }
    if (isOlder) {
      for (const statement of CREATE_LAST_CALLS) await sql.raw(statement).execute(transaction);
    }
    for (const index of FORMER_INDEXES) await sql.raw(`drop index if exists calls.${index}`).execute(transaction);
    return tables;
  });
  for (const [name, table] of TABLES) {
    for (const statement of createIndexes(name, table, 'sqlite').values()) await sql.raw(statement).execute(db);
  }
  // A backup that the version before made of the file has a copy, which would hide the table of the file.
  await sql.raw(`drop table if exists main.${LAST_CALLS_TABLE}`).execute(db);
  if (moved.length === 0) return;
  await sql`pragma calls.wal_checkpoint(full)`.execute(db);
  for (const name of moved) await sql`drop table if exists ${sql.table(`main.${name}`)}`.execute(db);
}

/** Gives call records that were copied from PostgreSQL the ids that SQLite needs: an older version gave them random ones there, too. */
export async function putTimesIntoCallIds<Tables>(transaction: Kysely<Tables>): Promise<void> {
  const emptyLastCalls = `delete from calls.${LAST_CALLS_TABLE}`;
  for (const statement of [PUT_TIMES_INTO_IDS, emptyLastCalls, FILL_LAST_CALLS])
    await sql.raw(statement).execute(transaction);
}

/** Changes nothing, and takes the write lock of the file. */
const LOCK = 'delete from calls.call_tallies where false';

/** Not a migration, because SQLite does not commit to two files at once. */
async function addMissingColumns<Tables>(db: Kysely<Tables>, name: string, { columns }: Table): Promise<void> {
  const existingColumns = await listColumns(db, 'calls', name);
  for (const [column, definition] of Object.entries(columns)) {
    if (existingColumns.includes(column)) continue;
    await sql.raw(`alter table calls.${name} add column ${column} ${definition}`).execute(db);
  }
}

async function listColumns<Tables>(db: Kysely<Tables>, file: 'main' | 'calls', table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table}, ${file})`.execute(db);
  return rows.map(({ name }) => name);
}

/** Writes to the file in a thread, which starts with the first work. */
interface CallWriter {
  /** Resolves when the batch is committed. */
  insert(records: readonly CallRecord[]): Promise<void>;
  /** Runs single statements, each in a separate transaction. */
  readonly db: Kysely<Database>;
  /** Closes the file after the work that the thread has. */
  close(): Promise<void>;
}

/** The thread of a store that was closed, for the next one of this process. */
let idle: Worker | undefined;

function keepIdle(thread: Worker): void {
  thread.unref();
  idle = thread;
  thread.once('exit', () => {
    if (idle === thread) idle = undefined;
  });
}

type Work = CallWork extends infer Each ? (Each extends CallWork ? Omit<Each, 'id'> : never) : never;
type Done = Extract<CallReply, { changes: number }>;

/** @param path of the store, which must be open. */
export function createCallWriter(path: string): CallWriter {
  const waiting = new Map<number, PromiseWithResolvers<Done>>();
  let thread: Worker | undefined;
  let closing: PromiseWithResolvers<void> | undefined;
  let lastId = 0;

  const start = (): Worker => {
    const started = idle ?? new Worker(new URL('./call-writer.ts', import.meta.url));
    idle = undefined;
    const fail = (error: Error): void => {
      if (thread !== started) return;
      thread = undefined;
      for (const each of waiting.values()) each.reject(error);
      waiting.clear();
      closing?.resolve();
    };
    started.on('message', (reply: CallReply | 'closed') => {
      if (reply === 'closed') {
        for (const event of ['message', 'error', 'exit']) started.removeAllListeners(event);
        if (idle === undefined) keepIdle(started);
        else void started.terminate();
        closing?.resolve();
        return;
      }
      const pending = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (waiting.size === 0) started.unref();
      if ('changes' in reply) pending?.resolve(reply);
      else pending?.reject(Object.assign(new Error(reply.problem.message), { code: reply.problem.code }));
    });
    started.on('error', fail);
    started.on('exit', () => fail(new Error('the thread that writes call records has ended')));
    started.postMessage({ open: toCallsPath(path) });
    return started;
  };
  const send = async (work: Work): Promise<Done> => {
    // Its thread may be that of another store by now.
    if (closing !== undefined) throw new Error('the file of call records is closed');
    thread ??= start();
    // It keeps the process alive only while it works.
    thread.ref();
    lastId += 1;
    const done = Promise.withResolvers<Done>();
    waiting.set(lastId, done);
    thread.postMessage({ ...work, id: lastId });
    return done.promise;
  };

  return {
    async insert(records) {
      await send({ records: JSON.stringify(records) });
    },
    db: new Kysely<Database>({
      dialect: {
        createDriver: () => new ThreadDriver(send),
        createQueryCompiler: () => new SqliteQueryCompiler(),
        createAdapter: () => new SqliteAdapter(),
        createIntrospector: (db) => new SqliteIntrospector(db),
      },
    }),
    async close() {
      if (closing !== undefined) return closing.promise;
      closing = Promise.withResolvers();
      if (thread === undefined) closing.resolve();
      thread?.ref();
      thread?.postMessage('close');
      await closing.promise;
    },
  };
}

/** Sends statements to the thread. */
class ThreadDriver extends DummyDriver {
  readonly #send: (work: Work) => Promise<Done>;

  constructor(send: (work: Work) => Promise<Done>) {
    super();
    this.#send = send;
  }

  override async acquireConnection(): ReturnType<DummyDriver['acquireConnection']> {
    return {
      executeQuery: async <Row>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) => {
        const { rows, changes } = await this.#send({ sql, parameters });
        return { rows: rows as Row[], numAffectedRows: BigInt(changes) };
      },
      streamQuery: () => {
        throw new Error('statements for call records are not streamed');
      },
    };
  }
}
