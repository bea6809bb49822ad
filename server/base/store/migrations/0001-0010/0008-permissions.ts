/** Grants narrowed by tool and argument, with an optional expiry; and the facts of tools that users saw. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const permissions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('oauth_grants').addColumn('permission', 'text').execute();
    await db.schema.alterTable('oauth_grants').addColumn('ends_at', 'bigint').execute();
    await db.schema
      .createTable('tool_facts')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('facts', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
