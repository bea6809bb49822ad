/** Partners' registrations, connect flows to redeem, and the service that a partner's grant began with. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const partnersAndConnectFlow: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('partners')
      .addColumn('redirect_uris', 'text', (column) => column.notNull().defaultTo('[]'))
      .execute();
    await db.schema.alterTable('partners').addColumn('connect_uri', 'text').execute();
    await db.schema.alterTable('partners').addColumn('logo_text', 'text').execute();
    await db.schema.alterTable('partners').addColumn('services', 'text').execute();

    await db.schema.alterTable('oauth_grants').addColumn('service', 'text').execute();

    await db.schema
      .createTable('connection_attempts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('code_hash', 'text', (column) => column.notNull().unique())
      .addColumn('partner_id', 'text', (column) => column.notNull().references('partners.id').onDelete('cascade'))
      .addColumn('external_user_id', 'text', (column) => column.notNull())
      .addColumn('service', 'text', (column) => column.notNull())
      .addColumn('redirect_uri', 'text', (column) => column.notNull())
      .addColumn('sealed_credential', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('redeemed_at', 'bigint')
      .addColumn('grant_id', 'text')
      .execute();
    await db.schema.createIndex('connection_attempts_by_end').on('connection_attempts').column('expires_at').execute();
    await db.schema
      .createIndex('connection_attempts_of_user')
      .on('connection_attempts')
      .columns(['partner_id', 'external_user_id'])
      .execute();
  },
};
