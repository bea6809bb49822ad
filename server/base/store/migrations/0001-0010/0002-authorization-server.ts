/** Partner secrets, registered clients, grants with their codes and refresh tokens, audit events and attempt counters. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const authorizationServer: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('partner_secrets')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('partner_id', 'text', (column) => column.notNull().references('partners.id').onDelete('cascade'))
      .addColumn('secret_hash', 'text', (column) => column.notNull().unique())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('revoked_at', 'bigint')
      .execute();
    await db.schema.createIndex('partner_secrets_by_partner').on('partner_secrets').column('partner_id').execute();

    await db.schema
      .createTable('oauth_clients')
      .addColumn('client_id', 'text', (column) => column.primaryKey())
      .addColumn('secret_hash', 'text')
      .addColumn('authentication_method', 'text', (column) => column.notNull())
      .addColumn('application_type', 'text', (column) => column.notNull())
      .addColumn('client_name', 'text')
      .addColumn('redirect_uris', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('first_used_at', 'bigint')
      .execute();
    await db.schema.createIndex('oauth_clients_by_time').on('oauth_clients').column('created_at').execute();

    await db.schema
      .createTable('oauth_grants')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('client_id', 'text', (column) => column.references('oauth_clients.client_id').onDelete('cascade'))
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('scopes', 'text', (column) => column.notNull())
      .addColumn('services', 'text')
      .addColumn('resource', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('revoked_at', 'bigint')
      .addColumn('revoked_reason', 'text')
      .execute();
    await db.schema.createIndex('oauth_grants_by_client').on('oauth_grants').column('client_id').execute();
    await db.schema.createIndex('oauth_grants_by_user').on('oauth_grants').column('user_id').execute();
    await db.schema.createIndex('oauth_grants_by_end').on('oauth_grants').column('expires_at').execute();

    await db.schema
      .createTable('oauth_codes')
      .addColumn('code_hash', 'text', (column) => column.primaryKey())
      .addColumn('grant_id', 'text', (column) => column.notNull().references('oauth_grants.id').onDelete('cascade'))
      .addColumn('redirect_uri', 'text', (column) => column.notNull())
      .addColumn('code_challenge', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('consumed_at', 'bigint')
      .execute();
    await db.schema.createIndex('oauth_codes_by_grant').on('oauth_codes').column('grant_id').execute();
    await db.schema.createIndex('oauth_codes_by_end').on('oauth_codes').column('expires_at').execute();

    await db.schema
      .createTable('refresh_tokens')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('grant_id', 'text', (column) => column.notNull().references('oauth_grants.id').onDelete('cascade'))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('used_at', 'bigint')
      .execute();
    await db.schema.createIndex('refresh_tokens_by_grant').on('refresh_tokens').column('grant_id').execute();
    await db.schema.createIndex('refresh_tokens_by_end').on('refresh_tokens').column('expires_at').execute();

    await db.schema
      .alterTable('access_tokens')
      .addColumn('grant_id', 'text', (column) => column.references('oauth_grants.id').onDelete('cascade'))
      .execute();
    await db.schema.createIndex('access_tokens_by_grant').on('access_tokens').column('grant_id').execute();

    await db.schema
      .createTable('audit_events')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('partner_id', 'text')
      .addColumn('user_id', 'text')
      .addColumn('client_id', 'text')
      .addColumn('grant_id', 'text')
      .addColumn('address', 'text')
      .addColumn('request_id', 'text')
      .addColumn('details', 'text', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('audit_events_by_time').on('audit_events').column('created_at').execute();
    await db.schema.createIndex('audit_events_of_user').on('audit_events').columns(['user_id', 'created_at']).execute();

    await db.schema
      .createTable('attempt_counters')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('attempt_counters_by_end').on('attempt_counters').column('expires_at').execute();
  },
};
