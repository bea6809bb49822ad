/** Facts of tools that a user or a partner saw, by their hash: one row for each different set. */

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { locksRows } from '../conflicts.ts';
import type { Executor } from '../schema.ts';

/** How long a set stays after a grant last named it, in milliseconds, before it may go. */
export const UNNAMED_FACTS_KEEP_MS = 86_400_000;

/**
 * Keeps a set of facts for a grant that is made in the same transaction.
 *
 * A set that is kept already is marked as used again only when half of `UNNAMED_FACTS_KEEP_MS` is over: grants that are made at the same
 * time do not wait for each other, and no purge removes a set that one of them is about to name.
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

/** True of a set that no grant names. The expression is that of the index `oauth_grants_by_seen`. */
export function isUnnamed(executor: Executor): RawBuilder<SqlBool> {
  const seen = locksRows(executor) ? sql`(g.permission::json ->> 'seen')` : sql`(g.permission ->> 'seen')`;
  return sql<SqlBool>`not exists (select 1 from oauth_grants g where ${seen} = tool_facts.hash)`;
}

/** @returns the JSON of the set, or undefined. */
export async function findToolFacts(executor: Executor, hash: string): Promise<string | undefined> {
  const row = await executor.selectFrom('tool_facts').select('facts').where('hash', '=', hash).executeTakeFirst();
  return row?.facts;
}
