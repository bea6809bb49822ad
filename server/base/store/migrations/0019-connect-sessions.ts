/** Connect sessions that partners create, and whether a partner accepts plain links too. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const connectSessions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('partners')
      .addColumn('plain_links', 'integer', (column) => column.notNull().defaultTo(1))
      .execute();

    await db.schema
      .createTable('connect_sessions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('partner_id', 'text', (column) => column.notNull().references('partners.id').onDelete('cascade'))
      .addColumn('external_user_id', 'text', (column) => column.notNull())
      .addColumn('services', 'text', (column) => column.notNull())
      .addColumn('skipped', 'text', (column) => column.notNull())
      .addColumn('redirect_uri', 'text', (column) => column.notNull())
      .addColumn('state', 'text')
      .addColumn('locale', 'text')
      .addColumn('allowed_origins', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('browser_hash', 'text')
      .addColumn('code_hash', 'text', (column) => column.unique())
      .addColumn('redeemed_at', 'bigint')
      .addColumn('grant_id', 'text')
      .execute();
    await db.schema.createIndex('connect_sessions_by_end').on('connect_sessions').column('expires_at').execute();
    await db.schema
      .createIndex('connect_sessions_of_user')
      .on('connect_sessions')
      .columns(['partner_id', 'external_user_id'])
      .execute();

    await db.schema.alterTable('connection_attempts').addColumn('session_id', 'text').execute();
    await db.schema
      .createIndex('connection_attempts_of_session')
      .on('connection_attempts')
      .column('session_id')
      .execute();
  },
};
