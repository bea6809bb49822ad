/** Until when a consent page for a new client can be answered, so that the client is not removed before. */

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const openConsents: Migration = {
  async up(db) {
    await sql`alter table oauth_clients add column consent_open_until bigint`.execute(db);
  },
};
