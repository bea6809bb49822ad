/** Partners, users, connections, access tokens, single-use codes and call records. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const initialTables: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('partners')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('client_id', 'text', (column) => column.notNull().unique())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();

    await db.schema
      .createTable('users')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('partner_id', 'text', (column) => column.notNull().references('partners.id'))
      .addColumn('external_user_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('users_of_partner', ['partner_id', 'external_user_id'])
      .execute();
    await db.schema.createIndex('users_by_external_user_id').on('users').column('external_user_id').execute();

    await db.schema
      .createTable('connections')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('service', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('sealed_credential', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('connections_of_user', ['user_id', 'service'])
      .execute();

    await db.schema
      .createTable('access_tokens')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('scopes', 'text', (column) => column.notNull())
      .addColumn('services', 'text')
      .addColumn('resource', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('revoked_at', 'bigint')
      .execute();
    await db.schema.createIndex('access_tokens_by_user').on('access_tokens').column('user_id').execute();
    await db.schema.createIndex('access_tokens_by_end').on('access_tokens').column('expires_at').execute();

    await db.schema
      .createTable('single_use_codes')
      .addColumn('code_hash', 'text', (column) => column.primaryKey())
      .addColumn('purpose', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) => column.references('users.id').onDelete('cascade'))
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('consumed_at', 'bigint')
      .execute();
    await db.schema.createIndex('single_use_codes_by_user').on('single_use_codes').column('user_id').execute();
    await db.schema.createIndex('single_use_codes_by_end').on('single_use_codes').column('expires_at').execute();

    await db.schema
      .createTable('call_records')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('partner_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('token_id', 'text', (column) => column.notNull())
      .addColumn('service', 'text', (column) => column.notNull())
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('upstream_status', 'integer')
      .addColumn('duration_ms', 'integer', (column) => column.notNull())
      .addColumn('request_bytes', 'integer', (column) => column.notNull())
      .addColumn('response_bytes', 'integer', (column) => column.notNull())
      .addColumn('request_id', 'text', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('call_records_by_time').on('call_records').column('created_at').execute();
    await db.schema.createIndex('call_records_of_user').on('call_records').columns(['user_id', 'created_at']).execute();
  },
};
