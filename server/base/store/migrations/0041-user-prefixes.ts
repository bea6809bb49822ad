/** Finds users by the beginning of their name, whatever collation a PostgreSQL database sorts texts by. */

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { dialectOf } from './table-set.ts';

export const userPrefixes: Migration = {
  async up(db) {
    // SQLite sorts by bytes, so users_by_external_user_id serves there.
    if (dialectOf(db) === 'sqlite') return;
    await sql`create index users_by_prefix on users (external_user_id collate "C")`.execute(db);
  },
};
