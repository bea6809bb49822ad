/** Identity issuers of partners, and the issuer that a grant came from. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const identityIssuers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('identity_issuers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('partner_id', 'text', (column) => column.notNull().references('partners.id').onDelete('cascade'))
      .addColumn('issuer', 'text', (column) => column.notNull())
      .addColumn('tenant', 'text', (column) => column.notNull())
      .addColumn('jwks_uri', 'text')
      .addColumn('jwks', 'text')
      .addColumn('subject_claim', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('last_used_at', 'bigint')
      .addUniqueConstraint('identity_issuers_by_name', ['issuer', 'tenant'])
      .execute();
    await db.schema.createIndex('identity_issuers_by_partner').on('identity_issuers').column('partner_id').execute();

    await db.schema.alterTable('oauth_grants').addColumn('issuer_id', 'text').execute();
    await db.schema.createIndex('oauth_grants_by_issuer').on('oauth_grants').column('issuer_id').execute();
  },
};
