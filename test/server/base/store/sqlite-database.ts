/** SQLite databases of tests, each in its own folder. */

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { copyMigratedDatabase, DATABASES } from '../../../support/migrated-database.ts';

export interface TestDatabase {
  readonly url: string;
  remove(): Promise<void>;
}

/** A SQLite file, with up-to-date tables. */
export async function createSqliteDatabase(): Promise<TestDatabase> {
  const { file, ...database } = await createEmptyDatabase();
  await copyMigratedDatabase(file);
  return database;
}

/** A SQLite file, which does not exist until it is opened. */
export async function createEmptyDatabase(): Promise<TestDatabase & { readonly file: string }> {
  const folder = await mkdtemp(join(DATABASES, 'utg-store-'));
  const file = join(folder, 'test.sqlite');
  return { url: `sqlite:${file}`, file, remove: () => rm(folder, { recursive: true }) };
}
