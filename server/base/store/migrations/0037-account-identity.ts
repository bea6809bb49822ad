/** Whose account a connection is, and what partners want of a service that is connected already. */

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const accountIdentity: Migration = {
  async up(db) {
    await sql`alter table connections add column account_identity text`.execute(db);
    await sql`alter table connect_sessions add column account text`.execute(db);
  },
};
