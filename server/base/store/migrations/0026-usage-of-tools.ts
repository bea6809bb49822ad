/** Usage of tools, as daily sums: published names, classes of values, and a sketch of the partners. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const usageOfTools: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('usage_tallies')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('place', 'text', (column) => column.notNull())
      .addColumn('facet', 'text', (column) => column.notNull())
      .addColumn('calls', 'bigint', (column) => column.notNull())
      .addColumn('partners_0', 'bigint', (column) => column.notNull())
      .addColumn('partners_1', 'bigint', (column) => column.notNull())
      .addColumn('partners_2', 'bigint', (column) => column.notNull())
      .addColumn('partners_3', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('usage_tallies_by_time').on('usage_tallies').column('created_at').execute();
  },
};
