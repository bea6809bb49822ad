/** Finds the calls that have just ended, on whichever node, for pages that follow them. */

import { sql } from 'kysely';
import { callOrder } from '../repositories/calls/call-order.ts';
import type { Executor } from '../schema.ts';
import { type CallSearch, conditionsOf, type FoundCall, withNames } from './call-search.ts';

/** Longest time from the beginning of a call to its record. */
const MAX_CALL_MS = 15 * 60_000;

/** Calls that are examined: those that began last. */
const MAX_EXAMINED = 5000;

/**
 * Returns the row ids of calls that have ended since then, the last to begin first.
 *
 * A call is recorded once it has ended, but its row id and time are those of its beginning. So the newest rows are examined each time, and not
 * only those behind the last known id.
 *
 * @param endedSince milliseconds since 1970.
 */
export async function listEndedCalls(executor: Executor, endedSince: number, limit: number): Promise<string[]> {
  const order = callOrder(executor);
  const newestCalls = executor
    .selectFrom('call_records as r')
    .select(['r.id', 'r.created_at', 'r.duration_ms'])
    .where(order.since(endedSince - MAX_CALL_MS))
    .orderBy(order.by('desc'))
    .limit(MAX_EXAMINED);
  const rows = await executor
    .selectFrom(newestCalls.as('r'))
    .select('r.id')
    .where(sql<number>`r.created_at + r.duration_ms`, '>=', endedSince)
    .orderBy(order.by('desc'))
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Of the calls with these row ids, reads the `limit` newest that match. */
export function findMatchingCalls(
  executor: Executor,
  ids: readonly string[],
  { limit, ...search }: CallSearch & { readonly limit: number },
): Promise<FoundCall[]> {
  let query = withNames(executor.selectFrom('call_records as r').where('r.id', 'in', ids));
  for (const condition of conditionsOf(executor, search)) query = query.where(condition);
  return query.orderBy(callOrder(executor).by('desc')).limit(limit).execute();
}
