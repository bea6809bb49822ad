/** Rules that users set for themselves, and how a call was approved. */

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { hasTable } from './table-set.ts';

export const standingApprovals: Migration = {
  async up(db) {
    await sql`alter table users add column approvals text`.execute(db);
    // On SQLite, the table is in a file of its own once the store was open: see `moveCalls`.
    if (await hasTable(db, 'call_records')) await sql`alter table call_records add column approved_by text`.execute(db);
  },
};
