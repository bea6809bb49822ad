/** A column for the upstream's own error code of a failed call, next to our outcome. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const upstreamCodes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('call_records').addColumn('upstream_code', 'text').execute();
  },
};
