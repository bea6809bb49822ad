/** Removes connections of the former status `pending`: flows that are not completed are rows of `connection_attempts`. */

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const noPendingConnections: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`delete from connections where status = 'pending'`.execute(db);
  },
};
