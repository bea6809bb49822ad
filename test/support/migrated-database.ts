/** Copies of an empty database with up-to-date tables, in a fifth of the time that creating one takes. */

import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openStore } from '../../server/base/store/index.ts';
import { TABLE_SETS } from './listening.ts';

let migrated: Promise<Buffer> | undefined;

/** Writes a copy of a SQLite database to `file`. Each process creates the original once, with the migrations of the store. */
export async function copyMigratedDatabase(file: string): Promise<void> {
  migrated ??= createMigrated();
  await writeFile(file, await migrated, { mode: 0o600 });
}

async function createMigrated(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'utg-migrated-'));
  const file = join(folder, 'migrated.sqlite');
  try {
    const store = await openStore({ url: `sqlite:${file}`, sets: TABLE_SETS });
    await store.close();
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

let original: { remove(): Promise<void> } | undefined;

/** Creates the database that PostgreSQL copies, before the tests of a project run. */
export async function setup(): Promise<void> {
  const base = process.env.TEST_DATABASE_URL;
  if (base === undefined || base === '') return;
  const database = await createPostgresDatabase(base);
  original = database;
  const store = await openStore({ url: database.url, sets: TABLE_SETS });
  await store.close();
  process.env.TEST_DATABASE_TEMPLATE = database.name;
}

export async function teardown(): Promise<void> {
  await original?.remove();
}

/** A database of its own on the server of `base`, a copy of `template`. Default: empty. */
export async function createPostgresDatabase(base: string, template = 'template1') {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOnce(base, `create database ${name} template ${template}`);
  const url = new URL(base);
  url.pathname = `/${name}`;
  return { name, url: url.href, remove: () => runOnce(base, `drop database ${name} with (force)`) };
}

async function runOnce(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
