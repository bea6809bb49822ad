/** Chains that reveal changes to the audit trail, and the keys that sign them. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const auditChains: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('audit_events').addColumn('chain', 'integer').execute();
    await db.schema.alterTable('audit_events').addColumn('chain_seq', 'bigint').execute();
    await db.schema.alterTable('audit_events').addColumn('chain_mac', 'text').execute();
    await db.schema.createIndex('audit_events_by_chain').on('audit_events').columns(['chain', 'chain_seq']).execute();

    await db.schema
      .createTable('audit_chains')
      .addColumn('number', 'integer', (column) => column.primaryKey())
      .addColumn('node', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('base_seq', 'bigint', (column) => column.notNull())
      .addColumn('base_mac', 'text', (column) => column.notNull())
      .addColumn('head_seq', 'bigint', (column) => column.notNull())
      .addColumn('head_mac', 'text', (column) => column.notNull())
      .addColumn('seal', 'text', (column) => column.notNull())
      .execute();

    await db.schema
      .createTable('audit_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .execute();
  },
};
