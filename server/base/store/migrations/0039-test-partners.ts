/** Which partner a test partner belongs to. */

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const testPartners: Migration = {
  async up(db) {
    await sql`alter table partners add column test_of text`.execute(db);
  },
};
