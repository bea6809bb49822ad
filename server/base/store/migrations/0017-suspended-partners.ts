/** When a partner was suspended. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const suspendedPartners: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('partners').addColumn('suspended_at', 'bigint').execute();
  },
};
