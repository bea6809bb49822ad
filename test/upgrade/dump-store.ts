/**
 * Writes a store of this version with rows in every table, as SQL for each dialect, so that later versions prove that they open it:
 * `TEST_DATABASE_URL=postgres://... node test/upgrade/dump-store.ts <name>` makes `stores/<name>.sqlite.sql` and `stores/<name>.postgres.sql`.
 */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import pg from 'pg';
import { toCallsPath } from '../../server/base/store/call-file.ts';
import { fillEveryTable } from '../server/base/store/every-table.ts';
import { keyBytes } from '../support/keys.ts';
import { openListeningStore } from '../support/listening.ts';

const RING = [{ id: 'k1', key: keyBytes(1) }];
const TEXT = 'Grüße, 世界 \'"% ';
const MIGRATED_AT = '2026-01-01T00:00:00.000Z';

const [name = ''] = process.argv.slice(2);
const { TEST_DATABASE_URL: server = '' } = process.env;
if (name === '' || server === '') throw new Error('name the store, and set TEST_DATABASE_URL');
const toPath = (dialect: string) => join(import.meta.dirname, 'stores', `${name}.${dialect}.sql`);
await writeFile(toPath('sqlite'), await dumpSqlite());
await writeFile(toPath('postgres'), await dumpPostgres());

async function fill(url: string): Promise<void> {
  const store = await openListeningStore({ url });
  await fillEveryTable({ store, dialect: store.dialect }, RING, { text: TEXT });
  await store.db
    .withTables<{ kysely_migration: { timestamp: string } }>()
    .updateTable('kysely_migration')
    .set({ timestamp: MIGRATED_AT })
    .execute();
  await store.close();
}

/** As a backup: one file holds the call records, too. */
async function dumpSqlite(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'utg-dump-'));
  try {
    const file = join(folder, 'store.sqlite');
    await fill(`sqlite:${file}`);
    const files = [file, toCallsPath(file)].map((path) => new SqliteDatabase(path, { readonly: true }));
    return `pragma foreign_keys = off;\n${files.map(toSql).join('')}`;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Writes the statements of a file. Rows may come before those that they refer to, because keys are not checked meanwhile. */
function toSql(database: SqliteDatabase.Database): string {
  const made = database
    .prepare<[], { name: string; type: string; sql: string }>(
      "select name, type, sql from sqlite_master where sql is not null order by type = 'index', name",
    )
    .all();
  const tables = made.filter(({ type }) => type === 'table');
  const rows = tables.flatMap(({ name: table }) =>
    database
      .prepare<[], unknown[]>(`select * from "${table}"`)
      .raw()
      .all()
      .map((row) => `insert into "${table}" values (${row.map(toLiteral).join(', ')})`)
      .toSorted(),
  );
  return [...made.map(({ sql }) => sql), ...rows].map((each) => `${each};\n`).join('');
}

function toLiteral(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
}

async function dumpPostgres(): Promise<string> {
  const database = `dump_${randomBytes(8).toString('hex')}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${database}`);
  try {
    const url = new URL(server);
    url.pathname = `/${database}`;
    await fill(url.href);
    const { stdout } = await promisify(execFile)('pg_dump', ['--inserts', '--no-owner', '--no-privileges', url.href]);
    // Settings of the session that reads it, comments, and commands of psql.
    return stdout
      .replaceAll(/^(?:SET |SELECT pg_catalog|--|\\).*\n/gm, '')
      .replaceAll(/\n{2,}/g, '\n')
      .trimStart();
  } finally {
    await client.query(`drop database ${database} with (force)`);
    await client.end();
  }
}
