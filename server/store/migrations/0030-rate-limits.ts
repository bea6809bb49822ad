/** What several gateways share to keep limits: how often each key was used in its window. */

import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const rateLimits: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const table = db.schema
      .createTable('rate_limits')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('uses', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull());
    // A crash of the server empties it: the counts of the last minute. Without, each count would wait for the log's way to the disk.
    const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
    await (isPostgres ? table.modifyFront(sql`unlogged`) : table).execute();
  },
};
