/** For partners: account and credential type of connections, users by age, calls, and tallies of calls. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const accounts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('connections').addColumn('account', 'text').execute();
    await db.schema.alterTable('connections').addColumn('credential_type', 'text').execute();
    await db.schema.createIndex('users_of_partner_by_age').on('users').columns(['partner_id', 'id']).execute();
    await db.schema
      .createIndex('call_records_of_partner')
      .on('call_records')
      .columns(['partner_id', 'created_at'])
      .execute();
    await db.schema
      .createTable('call_tallies')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('partner_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('service', 'text', (column) => column.notNull())
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('band', 'integer', (column) => column.notNull())
      .addColumn('calls', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('call_tallies_of_partner')
      .on('call_tallies')
      .columns(['partner_id', 'created_at'])
      .execute();
    await db.schema.createIndex('call_tallies_by_time').on('call_tallies').column('created_at').execute();
  },
};
