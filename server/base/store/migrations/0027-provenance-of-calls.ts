/** The digest of the called tool's definition, so that a record leads to the definition that was reviewed. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const provenanceOfCalls: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('call_records').addColumn('definition', 'text').execute();
  },
};
