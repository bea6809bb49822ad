/** Indexes that find rows to remove: connect flows of one network, and tool facts that no grant names any more. */

import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const whatCanBeRemoved: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('connection_attempts').addColumn('made_from', 'text').execute();
    await sql`create index connection_attempts_of_network on connection_attempts (made_from, id) where made_from is not null`.execute(
      db,
    );
    const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
    const seen = isPostgres ? sql`(permission::json ->> 'seen')` : sql`(permission ->> 'seen')`;
    await sql`create index oauth_grants_by_seen on oauth_grants (${seen})`.execute(db);
  },
};
