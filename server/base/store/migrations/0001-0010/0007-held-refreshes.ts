/** Columns for concurrent refreshes of one token, and for the first use of an access token. */

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const heldRefreshes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('refresh_tokens').addColumn('issues_at', 'bigint').execute();
    await db.schema.alterTable('refresh_tokens').addColumn('sealed_seed', 'text').execute();
    await db.schema.alterTable('access_tokens').addColumn('first_used_at', 'bigint').execute();
    await sql`create index refresh_tokens_with_seed on refresh_tokens (issues_at) where sealed_seed is not null`.execute(
      db,
    );
  },
};
