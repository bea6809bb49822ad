/** Calls with an idempotency key, with the outcome of each for a client that repeats it. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const callsMadeOnce: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('calls_made_once')
      .addColumn('key_hash', 'text', (column) => column.primaryKey())
      .addColumn('call_hash', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('grant_id', 'text', (column) => column.references('oauth_grants.id').onDelete('cascade'))
      .addColumn('token_id', 'text', (column) => column.references('access_tokens.id').onDelete('cascade'))
      .addColumn('connection_id', 'text', (column) => column.notNull().references('connections.id').onDelete('cascade'))
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('held_until', 'bigint', (column) => column.notNull())
      .addColumn('sealed_answer', 'text')
      .addColumn('answer_bytes', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    for (const column of ['grant_id', 'token_id']) {
      const index = db.schema.createIndex(`calls_made_once_by_${column}`).on('calls_made_once');
      await index.columns([column, 'answer_bytes']).execute();
    }
    for (const column of ['user_id', 'connection_id', 'expires_at']) {
      await db.schema.createIndex(`calls_made_once_by_${column}`).on('calls_made_once').column(column).execute();
    }
  },
};
