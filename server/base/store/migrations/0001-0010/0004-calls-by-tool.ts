/** An index to find who called a tool by a certain name. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const callsByTool: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.createIndex('call_records_by_tool').on('call_records').columns(['tool', 'created_at']).execute();
  },
};
