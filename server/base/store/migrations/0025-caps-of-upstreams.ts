/** Shared state for the caps of upstreams: who is sending now, and how much was sent recently. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const capsOfUpstreams: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('upstream_slots')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    // The three columns, in this order, are those of rate-limiter-flexible.
    await db.schema
      .createTable('upstream_rates')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('points', 'integer', (column) => column.notNull())
      .addColumn('expire', 'bigint', (column) => column.notNull())
      .execute();
  },
};
