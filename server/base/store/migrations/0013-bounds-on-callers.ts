/** Bounds on anonymous callers: counts of what they did, and the network that a registration came from. */

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const boundsOnCallers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('anonymous_events')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('network', 'text', (column) => column.notNull())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('last_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('anonymous_events_by_time').on('anonymous_events').column('created_at').execute();

    const clients = db.schema.alterTable('oauth_clients');
    await clients.dropColumn('metadata').execute();
    await clients.addColumn('registered_from', 'text').execute();
    await sql`create index oauth_clients_unused on oauth_clients (registered_from, created_at) where first_used_at is null`.execute(
      db,
    );
    await db.schema.createIndex('oauth_grants_by_redirect_uri').on('oauth_grants').column('redirect_uri').execute();
  },
};
