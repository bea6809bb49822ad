/** The names of partners, users and clients, for lists that have only their ids. */

import { sql } from 'kysely';
import type { Executor } from '../schema.ts';

/** The table and key of each kind, and the SQL of its name and of the live partner that it belongs to in test mode. */
const KINDS = {
  partner: ['partners', 'id', 'name', 'test_of'],
  user: ['users', 'id', 'external_user_id', '(select test_of from partners where partners.id = partner_id)'],
  client: ['oauth_clients', 'client_id', 'client_name', 'null'],
} as const;

export type NamedKind = keyof typeof KINDS;

/** Ids in one statement. */
const BATCH = 500;

export interface FoundName {
  /** Null for a client without a name. */
  readonly name: string | null;
  /** Row id of the live partner, for what belongs to test mode. Null for the rest. */
  readonly testOf: string | null;
}

/** Returns the names by id. What was removed is missing. */
export async function findNames(
  executor: Executor,
  kind: NamedKind,
  ids: readonly string[],
): Promise<ReadonlyMap<string, FoundName>> {
  const [table, key, name, testOf] = KINDS[kind];
  const names = new Map<string, FoundName>();
  for (let start = 0; start < ids.length; start += BATCH) {
    const { rows } = await sql<FoundName & { id: string }>`
      select ${sql.ref(key)} as id, ${sql.ref(name)} as name, ${sql.raw(testOf)} as "testOf" from ${sql.table(table)}
       where ${sql.ref(key)} in (${sql.join(ids.slice(start, start + BATCH))})`.execute(executor);
    for (const { id, ...found } of rows) names.set(id, found);
  }
  return names;
}
