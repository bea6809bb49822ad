/** Brings the tables up to date. */

import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { MIGRATIONS } from './migrations/index.ts';

/**
 * Runs the migrations that the database has not seen, in one transaction.
 *
 * Processes that start together take turns: on PostgreSQL by an advisory lock, on SQLite by the write transaction.
 * On PostgreSQL the bookkeeping lies in the current schema, so that several gateways can share one database.
 *
 * @returns the names of the migrations that ran.
 * @throws when one fails, or when the database was migrated by a newer gateway; nothing is changed then.
 */
export async function migrateToLatest<Tables>(db: Kysely<Tables>, dialect: 'sqlite' | 'postgres'): Promise<string[]> {
  const schema = dialect === 'postgres' ? { migrationTableSchema: await currentSchema(db) } : {};
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) }, ...schema });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return (results ?? []).map((result) => result.migrationName);
}

async function currentSchema<Tables>(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(db);
  const schema = rows[0]?.schema;
  if (schema == null) throw new Error('the database has no schema that its search_path names');
  return schema;
}
