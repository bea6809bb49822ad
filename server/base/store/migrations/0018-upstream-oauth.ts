/** OAuth clients registered with upstreams, and the refreshes of connections. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const upstreamOAuth: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('upstream_clients')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('partner_id', 'text', (column) => column.references('partners.id').onDelete('cascade'))
      .addColumn('service', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('client_id', 'text', (column) => column.notNull())
      .addColumn('sealed_secret', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('upstream_clients_by_owner', ['owner', 'service'])
      .execute();
    await db.schema
      .createIndex('upstream_clients_of_partner')
      .on('upstream_clients')
      .columns(['partner_id', 'service'])
      .execute();

    await db.schema.alterTable('connections').addColumn('refreshed_at', 'bigint').execute();
    await db.schema
      .createIndex('connections_by_refresh')
      .on('connections')
      .columns(['service', 'refreshed_at'])
      .execute();
    await db.schema
      .createTable('connection_refreshes')
      .addColumn('connection_id', 'text', (column) =>
        column.primaryKey().references('connections.id').onDelete('cascade'),
      )
      .addColumn('holder', 'text')
      .addColumn('held_until', 'bigint', (column) => column.notNull())
      .addColumn('failures', 'integer', (column) => column.notNull())
      .addColumn('retry_at', 'bigint', (column) => column.notNull())
      .addColumn('refreshed_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
