/** A column for the code that an upstream gave a failed call, apart from our own outcome. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const upstreamCodes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('call_records').addColumn('upstream_code', 'text').execute();
  },
};
