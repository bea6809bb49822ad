/** Facts of tools that a user or a partner saw, by their hash: one row for each different set. */

import type { Executor } from '../schema.ts';

/** Keeps a set of facts, if it is not kept already. */
export async function insertToolFacts(
  executor: Executor,
  facts: { hash: string; text: string; now: number },
): Promise<void> {
  await executor
    .insertInto('tool_facts')
    .values({ hash: facts.hash, facts: facts.text, created_at: facts.now })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute();
}

/** @returns the JSON of the set, or undefined. */
export async function findToolFacts(executor: Executor, hash: string): Promise<string | undefined> {
  const row = await executor.selectFrom('tool_facts').select('facts').where('hash', '=', hash).executeTakeFirst();
  return row?.facts;
}
