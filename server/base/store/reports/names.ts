/** The names of partners, users and clients, for lists that have only their ids. */

import { sql } from 'kysely';
import type { Executor } from '../schema.ts';

/** The table and key of each kind, and the SQL of its name. A test partner has the name of its live one. */
const KINDS = {
  partner: ['partners', 'id', "name || case when test_of is null then '' else ' (test mode)' end"],
  user: ['users', 'id', 'external_user_id'],
  client: ['oauth_clients', 'client_id', 'client_name'],
} as const;

export type NamedKind = keyof typeof KINDS;

/** Ids in one statement. */
const BATCH = 500;

/** Returns the names by id. What was removed is missing; a client without a name has null. */
export async function findNames(
  executor: Executor,
  kind: NamedKind,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const [table, key, name] = KINDS[kind];
  const names = new Map<string, string | null>();
  for (let start = 0; start < ids.length; start += BATCH) {
    const { rows } = await sql<{ id: string; name: string | null }>`
      select ${sql.ref(key)} as id, ${sql.raw(name)} as name from ${sql.table(table)}
       where ${sql.ref(key)} in (${sql.join(ids.slice(start, start + BATCH))})`.execute(executor);
    for (const row of rows) names.set(row.id, row.name);
  }
  return names;
}
