/** The definition of the tool that was called, by its digest, so that a record leads to what was reviewed. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const provenanceOfCalls: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('call_records').addColumn('definition', 'text').execute();
  },
};
