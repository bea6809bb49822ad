/** Whether pages of a partner name the gateway below. */

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const partnerFooter: Migration = {
  async up(db) {
    await sql`alter table partners add column footer integer not null default 1`.execute(db);
  },
};
