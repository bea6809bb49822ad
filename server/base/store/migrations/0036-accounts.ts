/** Several accounts per service: their names, which one a connect flow is for, and which one a call used. */

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { hasTable } from './table-set.ts';

export const accounts: Migration = {
  async up(db) {
    await sql`alter table connections add column account_name text`.execute(db);
    await sql`alter table connection_attempts add column account text`.execute(db);
    // On SQLite, the table is in a file of its own once the store was open: see `moveCalls`.
    if (await hasTable(db, 'call_records'))
      await sql`alter table call_records add column connection_id text`.execute(db);
  },
};
