import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toCallsPath } from '../../../../server/base/store/call-file.ts';
import { openStore, type Store } from '../../../../server/base/store/index.ts';
import { purgeOnce } from '../../../../server/base/store/purge.ts';
import type { CallRecord } from '../../../../server/base/store/repositories/call-records.ts';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { timeOfId } from '../../../../server/base/store/rows.ts';
import { RETENTION, TABLE_SETS } from '../../../support/listening.ts';
import { createSqliteDatabase } from './sqlite-database.ts';

const PROCESS = fileURLToPath(new URL('./process.ts', import.meta.url));
const BACKUP = join(import.meta.dirname, '../../../upgrade/stores/0042-open-consents.sqlite.sql');

const recordsOf = (count: number, changes: Partial<CallRecord> = {}): CallRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ createdAt: 1_900_000_000_000 + index, partnerId: 'acme', userId: 'alice', tokenId: 'token' },
    ...{ service: 'mailer', tool: 'mailer_send', outcome: 'ok', upstreamStatus: 200, upstreamCode: null },
    ...{ durationMs: 45, requestBytes: 10, responseBytes: 20, requestId: 'request' },
    ...changes,
  }));

describe('call records on SQLite', () => {
  let file: string;
  let store: Store;
  let remove: () => Promise<void>;
  const open = () => openStore({ url: `sqlite:${file}`, sets: TABLE_SETS });
  beforeEach(async () => {
    const database = await createSqliteDatabase();
    [file, remove] = [database.url.slice('sqlite:'.length), database.remove];
    store = await open();
  });
  afterEach(async () => {
    await store.close();
    await remove();
  });

  const countOf = async ({ db }: Store) => {
    const { calls } = await db
      .selectFrom('call_records')
      .select(({ fn }) => fn.countAll<number>().as('calls'))
      .executeTakeFirstOrThrow();
    const { sum } = await db
      .selectFrom('call_tallies')
      .select(({ fn }) => fn.sum<number>('calls').as('sum'))
      .executeTakeFirstOrThrow();
    return [calls, sum ?? 0];
  };
  const tablesIn = (path: string) => {
    const database = new SqliteDatabase(path, { readonly: true });
    const rows = database
      .prepare("select name from sqlite_master where name like 'call\\_%' escape '\\'")
      .pluck()
      .all();
    database.close();
    return rows.toSorted();
  };
  const lock = (path: string) => {
    const other = new SqliteDatabase(path);
    other.exec('begin immediate');
    return () => other.close();
  };

  test('of an older version have the columns that a later one added', async () => {
    await store.insertCallRecords(recordsOf(1));
    await store.close();
    const older = new SqliteDatabase(toCallsPath(file));
    older.exec('alter table call_records drop column upstream_code').close();
    store = await open();
    await store.insertCallRecords(recordsOf(2));
    const { rows } = await sql`select upstream_code from call_records`.execute(store.db);
    expect(rows).toHaveLength(3);
  });

  test('of the version before lose the indexes that slow down every record, and each grant keeps its last call', async () => {
    await store.insertCallRecords(recordsOf(3, { grantId: 'grant' }));
    await store.close();
    const older = new SqliteDatabase(toCallsPath(file));
    for (const trigger of ['insert', 'delete']) older.exec(`drop trigger last_calls_${trigger}`);
    older.exec('drop table last_calls; create index call_records_by_time on call_records (created_at)').close();
    store = await open();
    const lastCalls = async () => {
      const { rows } = await sql<{ last: number }>`select r.created_at - 1900000000000 as last
        from last_calls as l join call_records as r on r.id = l.call_id`.execute(store.db);
      return rows.map(({ last }) => last);
    };
    expect(await lastCalls()).toEqual([2]);
    await store.insertCallRecords(recordsOf(4, { grantId: 'grant' }));
    await store.insertCallRecords(recordsOf(1, { grantId: 'grant' }));
    expect(await lastCalls()).toEqual([3]);
    await store.db.deleteFrom('call_records').execute();
    expect((await sql`select * from last_calls`.execute(store.db)).rows).toEqual([]);
    const indexes = await sql`select name from pragma_index_list('call_records') where origin = 'c'`.execute(store.db);
    expect(indexes.rows).toHaveLength(2);
  });

  test('of an older version, whose ids say nothing of their time, get ids that do', async () => {
    await store.insertCallRecords(recordsOf(3, { grantId: 'grant' }));
    await store.close();
    const older = new SqliteDatabase(toCallsPath(file));
    for (const trigger of ['insert', 'delete']) older.exec(`drop trigger last_calls_${trigger}`);
    older.exec('drop table last_calls');
    const withRandomId = older.prepare(
      "update call_records set id = ? || '-0000-4' || substr(id, 16) where created_at = ?",
    );
    for (const index of [0, 1, 2]) withRandomId.run(`fedcba9${9 - index}`, 1_900_000_000_000 + index);
    older.close();
    store = await open();
    const rows = await store.db.selectFrom('call_records').select('id').orderBy('id').execute();
    expect(rows.map(({ id }) => timeOfId(id))).toEqual([0, 1, 2].map((index) => 1_900_000_000_000 + index));
    expect((await sql`select call_id from last_calls`.execute(store.db)).rows).toEqual([{ call_id: rows[2]?.id }]);
  });

  test('are in a file of their own, which only this account can read, with two indexes', async () => {
    await store.insertCallRecords(recordsOf(3));
    expect(await countOf(store)).toEqual([3, 3]);
    expect((await stat(toCallsPath(file))).mode & 0o777).toBe(0o600);
    expect(tablesIn(file)).toEqual([]);
    const { rows } = await sql`select name from pragma_index_list('call_records') where origin = 'c'`.execute(store.db);
    expect(rows).toHaveLength(2);
  });

  test('wait for another writer of their file without stopping the loop, or a transaction of the store', async () => {
    await store.insertCallRecords([]);
    const unlock = lock(toCallsPath(file));
    const writing = store.insertCallRecords(recordsOf(200));
    const isDone = writing.then(() => true);
    await store.db
      .transaction()
      .execute((transaction) => insertPartner(transaction, { clientId: 'a', name: 'A', now: 1 }));
    expect(await Promise.race([isDone, sleep(300, false)])).toBe(false);
    unlock();
    await writing;
    expect(await countOf(store)).toEqual([200, 200]);
  });

  test.skipIf(process.threadCpuUsage === undefined)('take less than half of their CPU from the loop', async () => {
    const shares: number[] = [];
    for (let batch = 0; batch < 40; batch += 1) {
      const records = recordsOf(200);
      const [loop, all] = [process.threadCpuUsage(), process.cpuUsage()];
      await store.insertCallRecords(records);
      const sumOf = ({ user, system }: NodeJS.CpuUsage) => user + system;
      shares.push(sumOf(process.threadCpuUsage(loop)) / sumOf(process.cpuUsage(all)));
    }
    expect(shares.toSorted((a, b) => a - b)[20]).toBeLessThan(1 / 2);
  });

  test('are written while another process holds the lock of the store', async () => {
    const unlock = lock(file);
    await store.insertCallRecords(recordsOf(200));
    expect(await countOf(store)).toEqual([200, 200]);
    unlock();
  });

  test('that wait when the store is closed are written', async () => {
    const writing = [1, 2, 3].map(() => store.insertCallRecords(recordsOf(500)));
    await store.close();
    await Promise.all(writing);
    store = await open();
    expect(await countOf(store)).toEqual([1500, 1500]);
  });

  test('that cannot be written are refused with the code of SQLite, all or none, and the next ones are written', async () => {
    await sql`create trigger calls.refuse before insert on call_records when new.tool = 'refused'
      begin select raise(abort, 'refused'); end`.execute(store.db);
    const refused = store.insertCallRecords([...recordsOf(3), ...recordsOf(1, { tool: 'refused' })]);
    await expect(refused).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_TRIGGER', message: 'refused' });
    await store.insertCallRecords(recordsOf(2));
    expect(await countOf(store)).toEqual([2, 2]);
  });

  test('are refused if the thread cannot start, and written once it can', async () => {
    await sql`alter table call_records rename to hidden`.execute(store.db);
    await expect(store.insertCallRecords(recordsOf(1))).rejects.toThrow('no such table: call_records');
    await sql`alter table hidden rename to call_records`.execute(store.db);
    await store.insertCallRecords(recordsOf(1));
    expect(await countOf(store)).toEqual([1, 1]);
  });

  test('of a closed store are refused, and get into no other store of the process', async () => {
    await store.insertCallRecords(recordsOf(1));
    const closed = store;
    await closed.close();
    const other = await createSqliteDatabase();
    const otherStore = await openStore({ url: other.url, sets: TABLE_SETS });
    await otherStore.insertCallRecords(recordsOf(2));
    await expect(closed.insertCallRecords(recordsOf(5))).rejects.toThrow('closed');
    await closed.close();
    await otherStore.insertCallRecords(recordsOf(1));
    expect(await countOf(otherStore)).toEqual([3, 3]);
    await otherStore.close();
    await other.remove();
    store = await open();
    expect(await countOf(store)).toEqual([1, 1]);
  });

  test('are purged by the thread, and leave nothing in the files', async () => {
    await store.insertCallRecords(recordsOf(700, { createdAt: 5, tool: 'mailer_forgotten' }));
    const unlock = lock(file);
    const purged: unknown[] = [];
    const options = { store, now: () => 1e15, onError: (error: unknown) => purged.push(error) };
    const rules = RETENTION.filter(({ table }) => table === 'call_records' || table === 'call_tallies');
    await purgeOnce({ ...options, rules, onPurged: (removed) => purged.push(removed) }, new AbortController().signal);
    unlock();
    expect(purged).toEqual([{ call_tallies: 1, call_records: 700 }]);
    const files = await Promise.all(['', '-wal'].map((ending) => readFile(toCallsPath(file) + ending)));
    expect(files.some((bytes) => bytes.includes('mailer_forgotten'))).toBe(false);
  });

  test('of a backup, and of one whose move was interrupted, are moved, each once', async () => {
    await store.close();
    const older = new SqliteDatabase(file);
    older.pragma('foreign_keys = off');
    for (const name of older.prepare("select name from sqlite_master where type = 'table'").pluck().all())
      older.exec(`drop table "${name}"`);
    older.exec(await readFile(BACKUP, 'utf8'));
    const rows = older.prepare('select * from call_records order by id').all();
    older.close();
    await copyFile(file, `${file}.older`);
    expect(rows.length).toBeGreaterThan(1);
    for (const interrupted of [false, true]) {
      if (interrupted) await copyFile(`${file}.older`, file);
      store = await open();
      expect(await store.db.selectFrom('call_records').selectAll().orderBy('id').execute()).toEqual(rows);
      expect((await store.db.selectFrom('call_tallies').selectAll().execute()).length).toBe(2);
      await store.close();
      expect([tablesIn(file), tablesIn(toCallsPath(file)).length]).toEqual([[], 6]);
    }
    store = await open();
  });

  test('of an older version with random ids are moved, each once, if the move was interrupted', async () => {
    await store.insertCallRecords(recordsOf(2, { grantId: 'grant' }));
    await store.close();
    const older = new SqliteDatabase(file);
    older.prepare('attach ? as calls').run(toCallsPath(file));
    older.exec(
      "create table call_records as select * from calls.call_records; update call_records set id = 'fedcba98-0000-4' || substr(id, 16)",
    );
    older.exec('delete from calls.call_records');
    older.close();
    await copyFile(file, `${file}.older`);
    for (const interrupted of [false, true]) {
      if (interrupted) await copyFile(`${file}.older`, file);
      store = await open();
      const rows = await store.db.selectFrom('call_records').select('id').orderBy('id').execute();
      expect(rows.map(({ id }) => timeOfId(id))).toEqual([1_900_000_000_000, 1_900_000_000_001]);
      expect((await sql`select call_id from last_calls`.execute(store.db)).rows).toEqual([{ call_id: rows[1]?.id }]);
      if (!interrupted) await store.close();
    }
  });

  test('of a backup that the version before made keep the last call of each grant', async () => {
    await store.close();
    const backup = new SqliteDatabase(file);
    backup.exec(
      "create table last_calls (grant_id text primary key, call_id text); insert into last_calls values ('grant', 'x')",
    );
    backup.close();
    store = await open();
    await store.insertCallRecords(recordsOf(1, { grantId: 'grant' }));
    const [call] = await store.db.selectFrom('call_records').select('id').execute();
    expect((await sql`select call_id from last_calls`.execute(store.db)).rows).toEqual([{ call_id: call?.id }]);
  });

  test('are none after their file was lost, and the store opens', async () => {
    await store.insertCallRecords(recordsOf(1));
    await store.close();
    await rm(toCallsPath(file));
    store = await open();
    expect(await countOf(store)).toEqual([0, 0]);
    await store.insertCallRecords(recordsOf(1));
    expect(await countOf(store)).toEqual([1, 1]);
  });

  test('that were committed survive kill -9, and of the last batch all or none are there', async () => {
    const child = spawn(process.execPath, [PROCESS, `sqlite:${file}`, 'record', '1000']);
    await once(child.stdout, 'data');
    await expect.poll(() => countOf(store), { timeout: 20_000 }).toEqual([1000, 1000]);
    child.stdin.write('more\n');
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const [calls = 0, sum] = await countOf(store);
    expect([calls, calls % 200]).toEqual([sum, 0]);
    expect(calls).toBeGreaterThanOrEqual(1000);
    expect((await sql`pragma calls.integrity_check`.execute(store.db)).rows).toEqual([{ integrity_check: 'ok' }]);
  });
});
