/** Shared counts for rate limits: the uses of each key in its window. */

import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const rateLimits: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const table = db.schema
      .createTable('rate_limits')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('uses', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull());
    // Unlogged: a crash of the server loses the last minute's counts. Logged, each count would wait for the disk.
    const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
    await (isPostgres ? table.modifyFront(sql`unlogged`) : table).execute();
  },
};
