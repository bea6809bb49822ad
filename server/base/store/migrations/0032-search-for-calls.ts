/** Indexes that find calls by request, and failed calls. */

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const searchForCalls: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.createIndex('call_records_of_request').on('call_records').column('request_id').execute();
    await sql`create index call_records_failed on call_records (created_at) where outcome <> 'ok'`.execute(db);
    await db.schema
      .createIndex('call_records_of_service')
      .on('call_records')
      .columns(['service', 'created_at'])
      .execute();
    await db.schema.createIndex('connections_by_status').on('connections').columns(['status', 'id']).execute();
  },
};
