/** Partners' events, the endpoints that these are sent to, and each delivery. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const partnerEvents: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await addEvents(db);
    await db.schema
      .createTable('webhook_endpoints')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('partner_id', 'text', (column) => column.notNull().references('partners.id').onDelete('cascade'))
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('types', 'text')
      .addColumn('sealed_credential', 'text', (column) => column.notNull())
      .addColumn('previous_until', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('cursor', 'bigint', (column) => column.notNull())
      .addColumn('disabled_at', 'bigint')
      .addColumn('disabled_reason', 'text')
      .addColumn('failing_since', 'bigint')
      .addColumn('held_until', 'bigint', (column) => column.notNull())
      .addColumn('leased_by', 'text')
      .addColumn('leased_until', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('webhook_endpoints_by_partner').on('webhook_endpoints').column('partner_id').execute();

    await db.schema
      .createTable('webhook_deliveries')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('endpoint_id', 'text', (column) =>
        column.notNull().references('webhook_endpoints.id').onDelete('cascade'),
      )
      .addColumn('event_id', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('order_key', 'text', (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('first_attempt_at', 'bigint')
      .addColumn('next_attempt_at', 'bigint', (column) => column.notNull())
      .addColumn('last_attempt_at', 'bigint')
      .addColumn('answer_status', 'integer')
      .addColumn('problem', 'text')
      .addColumn('duration_ms', 'integer')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('webhook_deliveries_by_endpoint')
      .on('webhook_deliveries')
      .columns(['endpoint_id', 'status', 'next_attempt_at'])
      .execute();
    await db.schema
      .createIndex('webhook_deliveries_by_order')
      .on('webhook_deliveries')
      .columns(['endpoint_id', 'order_key', 'seq'])
      .execute();
    await db.schema.createIndex('webhook_deliveries_by_age').on('webhook_deliveries').column('created_at').execute();
  },
};

async function addEvents(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('partner_event_heads')
    .addColumn('partner_id', 'text', (column) => column.primaryKey().references('partners.id').onDelete('cascade'))
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('partner_events')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('partner_id', 'text', (column) => column.notNull().references('partners.id').onDelete('cascade'))
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('external_user_id', 'text')
    .addColumn('sealed_user_id', 'text')
    .addColumn('service', 'text')
    .addColumn('connection_id', 'text')
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('partner_events_by_seq', ['partner_id', 'seq'])
    .execute();
  await db.schema.createIndex('partner_events_by_user').on('partner_events').column('user_id').execute();
  await db.schema.createIndex('partner_events_by_age').on('partner_events').column('created_at').execute();
}
