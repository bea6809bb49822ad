/** Opens the portal's database, which has its own tables and no others. */

import { resolve } from 'node:path';
import { Kysely } from 'kysely';
import { retryConflicts } from '../../../server/base/store/conflicts.ts';
import { migrateToLatest } from '../../../server/base/store/migrate.ts';
import type { Database } from '../../../server/base/store/schema.ts';
import { createSqliteDialect, openSqliteFile } from '../../../server/base/store/sqlite.ts';
import type { TableSet } from '../../../server/base/store/tables/table-set.ts';
import { explainPostgres, explainSqlite } from '../../../server/base/store/unavailable.ts';

/** An open database whose tables are up to date. */
export interface OpenTables<Tables> {
  readonly db: Kysely<Tables>;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

interface OpenTablesOptions {
  /** `sqlite:<path>`, relative to the working directory, or `postgres://...`. */
  readonly url: string;
  /** Name of the setting with the address, for errors. */
  readonly setting: string;
  readonly set: TableSet;
  readonly onError: (error: Error) => void;
}

/** @throws {StoreUnavailableError} when the database cannot be reached. */
export async function openTables<Tables>(options: OpenTablesOptions): Promise<OpenTables<Tables>> {
  return options.url.startsWith('sqlite:') ? openSqlite(options) : openPostgres(options);
}

async function openSqlite<Tables>({ url, setting, set }: OpenTablesOptions): Promise<OpenTables<Tables>> {
  const path = resolve(url.slice('sqlite:'.length));
  // There are no call records, but the dialect expects their file.
  const database = await openSqliteFile(path, (file) => void file.exec("attach ':memory:' as calls")).catch(
    (error: unknown) => {
      throw explainSqlite(path, error, setting);
    },
  );
  const db = new Kysely<Tables>({ dialect: createSqliteDialect(database) });
  try {
    await migrateToLatest(db, 'sqlite', [set]);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    db,
    ping: async () => void database.prepare('select 1').get(),
    close: () => db.destroy(),
  };
}

async function openPostgres<Tables>({ url, setting, set, onError }: OpenTablesOptions): Promise<OpenTables<Tables>> {
  const { createPostgresDialect, createPostgresPool } = await import('../../../server/base/store/postgres.ts');
  const migrating = new Kysely<unknown>({
    dialect: createPostgresDialect(createPostgresPool({ url, onError, patient: true })),
  });
  try {
    await migrateToLatest(migrating, 'postgres', [set]);
  } catch (error) {
    throw explainPostgres(url, error, setting);
  } finally {
    await migrating.destroy();
  }
  const pool = createPostgresPool({ url, onError });
  // It repeats statements and transactions, whatever their tables.
  const db = retryConflicts(
    new Kysely<Database>({ dialect: createPostgresDialect(pool) }),
  ) as unknown as Kysely<Tables>;
  return {
    db,
    ping: async () => void (await pool.query('select 1')),
    async close() {
      await db.destroy();
      if (!pool.ended) await pool.end();
    },
  };
}
