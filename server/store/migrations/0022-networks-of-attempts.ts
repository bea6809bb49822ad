/** Where connect flows that wait to be redeemed come from, so that one network can be bounded. */

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const networksOfAttempts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('connection_attempts').addColumn('made_from', 'text').execute();
    await sql`create index connection_attempts_of_network on connection_attempts (made_from, id) where made_from is not null`.execute(
      db,
    );
  },
};
