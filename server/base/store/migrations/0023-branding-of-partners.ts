/** Branding of partners on pages: accent colour and logo. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const brandingOfPartners: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const column of ['accent_color', 'logo_hash', 'logo_type', 'logo']) {
      await db.schema.alterTable('partners').addColumn(column, 'text').execute();
    }
  },
};
