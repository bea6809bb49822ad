/** The grant of each call, so that a user can see what each client did last. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const callsByGrant: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('call_records').addColumn('grant_id', 'text').execute();
    await db.schema
      .createIndex('call_records_of_grant')
      .on('call_records')
      .columns(['grant_id', 'created_at'])
      .execute();
  },
};
