/** Facts of tools that a user or a partner saw, by hash: one row for each distinct set. */

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { locksRows } from '../conflicts.ts';
import type { Executor } from '../schema.ts';

/** Time for which a set is kept after a grant last named it, in milliseconds. */
export const UNNAMED_FACTS_KEEP_MS = 86_400_000;

/**
 * Stores a set of facts for a grant that is created in the same transaction.
 *
 * An existing set is marked as used again only after half of `UNNAMED_FACTS_KEEP_MS`: concurrent grants do not wait for
 * each other, and no purge removes a set that one of them is about to name.
 */
export async function insertToolFacts(
  executor: Executor,
  facts: { hash: string; text: string; now: number },
): Promise<void> {
  const { hash, text, now } = facts;
  const recent = await executor
    .selectFrom('tool_facts')
    .select('hash')
    .where('hash', '=', hash)
    .where('created_at', '>', now - UNNAMED_FACTS_KEEP_MS / 2)
    .executeTakeFirst();
  if (recent !== undefined) return;
  await executor
    .insertInto('tool_facts')
    .values({ hash, facts: text, created_at: now })
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ created_at: now }))
    .execute();
}

/** SQL condition of sets that no grant names, with the expression of the index `oauth_grants_by_seen`. */
export function isUnnamed(executor: Executor): RawBuilder<SqlBool> {
  const seenHash = locksRows(executor) ? sql`(g.permission::json ->> 'seen')` : sql`(g.permission ->> 'seen')`;
  return sql<SqlBool>`not exists (select 1 from oauth_grants g where ${seenHash} = tool_facts.hash)`;
}

/** @returns the JSON of the set, or undefined. */
export async function findToolFacts(executor: Executor, hash: string): Promise<string | undefined> {
  const row = await executor.selectFrom('tool_facts').select('facts').where('hash', '=', hash).executeTakeFirst();
  return row?.facts;
}
