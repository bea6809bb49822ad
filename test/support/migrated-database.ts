/** Copies of an empty database with up-to-date tables, in a fifth of the time that creating one takes. */

import { statfsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toCallsPath } from '../../server/base/store/call-file.ts';
import { openStore } from '../../server/base/store/index.ts';
import { TABLE_SETS } from './listening.ts';
import { createPostgresDatabase } from './postgres-database.ts';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 1024 ** 3;

/** The folder for SQLite files of tests: in memory where there is room, because each start and end of a gateway waits for the disk several times. */
export const DATABASES = hasRoom(MEMORY) ? MEMORY : tmpdir();

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > ROOM_BYTES;
  } catch {
    return false;
  }
}

/** The two files of a store, each by what its path has behind that of the store. */
type Files = ReadonlyMap<string, Buffer>;

let migrated: Promise<Files> | undefined;

/** Writes a copy of a SQLite database to `file`. Each process creates the original once, with the migrations of the store. */
export async function copyMigratedDatabase(file: string): Promise<void> {
  migrated ??= createMigrated();
  for (const [suffix, content] of await migrated) await writeFile(file + suffix, content, { mode: 0o600 });
}

async function createMigrated(): Promise<Files> {
  const folder = await mkdtemp(join(DATABASES, 'utg-migrated-'));
  const file = join(folder, 'migrated.sqlite');
  try {
    const store = await openStore({ url: `sqlite:${file}`, sets: TABLE_SETS });
    await store.close();
    return new Map([
      ['', await readFile(file)],
      [toCallsPath(''), await readFile(toCallsPath(file))],
    ]);
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
