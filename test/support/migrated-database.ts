/** Copies an empty SQLite database with up-to-date tables, in a fifth of the time that creating one takes. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../server/base/store/index.ts';
import { TABLE_SETS } from './listening.ts';

let migrated: Promise<Buffer> | undefined;

/** Writes a copy to `file`. Each process creates the original once, with the migrations of the store. */
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
