/** Answers that differ from their output schemas, as sums by day, place and type. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const driftOfAnswers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('drift_tallies')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('service', 'text', (column) => column.notNull())
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('definition', 'text', (column) => column.notNull())
      .addColumn('place', 'text', (column) => column.notNull())
      .addColumn('keyword', 'text', (column) => column.notNull())
      .addColumn('found', 'text', (column) => column.notNull())
      .addColumn('answers', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('drift_tallies_by_time').on('drift_tallies').column('created_at').execute();
  },
};
