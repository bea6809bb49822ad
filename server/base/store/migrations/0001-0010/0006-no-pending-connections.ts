/** Removes connections with the former status `pending`: unfinished flows are now rows of `connection_attempts`. */

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const noPendingConnections: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`delete from connections where status = 'pending'`.execute(db);
  },
};
