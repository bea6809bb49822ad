/** Counts what a store contains. */

import { sql } from 'kysely';
import type { Store } from '../../../../server/base/store/index.ts';

/** @returns the row count of every gateway table. */
export async function countRows({ db }: Store): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of await db.introspection.getTables()) {
    const { rows } = await sql<{ count: number | string }>`select count(*) as count from ${sql.table(name)}`.execute(
      db,
    );
    counts[name] = Number(rows[0]?.count ?? 0);
  }
  return counts;
}
