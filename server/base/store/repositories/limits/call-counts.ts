/** Counts of calls that rules limit: exact over all gateways of the store, in windows that begin at fixed times (UTC). */

import type { Executor } from '../../schema.ts';

/** The count that one use adds to. */
export interface CallCount {
  /** Unique for the rule, its subject and the window. */
  readonly key: string;
  /** See `CallRule.id`. */
  readonly rule: string;
  readonly partnerId: string;
  /** Row id of the user. Null if all users of the partner are counted together. */
  readonly userId: string | null;
  /** End of the window, in milliseconds since 1970. */
  readonly endsAt: number;
  /** Most calls in the window. */
  readonly limit: number;
}

/** Ends the transaction, so that no count of a refused call stays. */
class LimitReached extends Error {
  readonly key: string;

  constructor(key: string) {
    super('a limit is reached');
    this.key = key;
  }
}

/**
 * Adds one to each count, or to none if one of them has reached its limit.
 *
 * @param counts no key twice. They are locked in the order of their keys, so that concurrent calls do not deadlock.
 * @returns the key of a count that has reached its limit, or null if the call was counted.
 */
export async function addToCallCounts(executor: Executor, counts: readonly CallCount[]): Promise<string | null> {
  const sorted = counts.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const [only, ...others] = sorted;
  if (only === undefined) return null;
  if (others.length === 0) return (await addOne(executor, only)) ? null : only.key;
  try {
    await executor.transaction().execute(async (transaction) => {
      for (const count of sorted) if (!(await addOne(transaction, count))) throw new LimitReached(count.key);
    });
    return null;
  } catch (error) {
    if (error instanceof LimitReached) return error.key;
    throw error;
  }
}

/** @returns false if the count has reached its limit. */
async function addOne(
  executor: Executor,
  { key, rule, partnerId, userId, endsAt, limit }: CallCount,
): Promise<boolean> {
  const row = await executor
    .insertInto('rule_counts')
    .values({ key, rule, partner_id: partnerId, user_id: userId, ends_at: endsAt, calls: 1 })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(({ eb, ref }) => ({ calls: eb(ref('rule_counts.calls'), '+', 1) }))
        .where('rule_counts.calls', '<', limit),
    )
    .returning('calls')
    .executeTakeFirst();
  return row !== undefined;
}

/** Takes one back from each count, in the order in which `addToCallCounts` locks them. */
export async function takeFromCallCounts(executor: Executor, keys: readonly string[]): Promise<void> {
  const [only = '', ...others] = keys.toSorted();
  if (others.length === 0) return takeOne(executor, only);
  await executor.transaction().execute(async (transaction) => {
    for (const key of [only, ...others]) await takeOne(transaction, key);
  });
}

async function takeOne(executor: Executor, key: string): Promise<void> {
  await executor
    .updateTable('rule_counts')
    .set(({ eb, ref }) => ({ calls: eb(ref('calls'), '-', 1) }))
    .where('key', '=', key)
    .where('calls', '>', 0)
    .execute();
}

/** Returns the calls that are counted under these keys, by key. A key without a count is missing. */
export async function findCallCounts(
  executor: Executor,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (keys.length === 0) return new Map();
  const rows = await executor.selectFrom('rule_counts').select(['key', 'calls']).where('key', 'in', keys).execute();
  return new Map(rows.map(({ key, calls }) => [key, Number(calls)]));
}

/** The highest count of a rule in the windows of now. */
export interface HighestCount {
  readonly rule: string;
  readonly partnerId: string;
  readonly calls: number;
}

/** Returns the highest count of each rule and partner in the windows that are not over. @param now milliseconds since 1970. */
export async function listHighestCounts(
  executor: Executor,
  rules: readonly string[],
  now: number,
): Promise<HighestCount[]> {
  if (rules.length === 0) return [];
  const rows = await executor
    .selectFrom('rule_counts')
    .select(['rule', 'partner_id', ({ fn }) => fn.max('calls').as('calls')])
    .where('rule', 'in', rules)
    .where('ends_at', '>', now)
    .groupBy(['rule', 'partner_id'])
    .execute();
  return rows.map(({ rule, partner_id, calls }) => ({ rule, partnerId: partner_id, calls: Number(calls) }));
}
