/** Events of anonymous callers: counted by hour, event and network, outside the audit trail. */

import type { AnonymousEvent } from '../../base/store/events.ts';
import { countRows } from '../../base/store/rows.ts';
import type { Executor } from '../../base/store/schema.ts';

const HOUR_MS = 3_600_000;

/** Maximum of rows per hour. More networks are counted together. */
const MAX_ROWS_PER_HOUR = 1000;
const ELSEWHERE = 'elsewhere';

/**
 * Counts an event. The count is exact under any concurrency.
 *
 * An hour has at most about `MAX_ROWS_PER_HOUR` rows, even in a flood from many networks.
 */
export async function countAnonymousEvent(executor: Executor, event: AnonymousEvent): Promise<void> {
  const { type, network, now } = event;
  const hour = now - (now % HOUR_MS);
  if (await incrementCount(executor, `${hour}:${type}:${network}`, now)) return;
  const rows = await countRows(executor.selectFrom('anonymous_events').where('created_at', '>=', hour));
  const countedNetwork = rows < MAX_ROWS_PER_HOUR ? network : ELSEWHERE;
  const key = `${hour}:${type}:${countedNetwork}`;
  await executor
    .insertInto('anonymous_events')
    .values({ key, type, network: countedNetwork, count: 1, created_at: now, last_at: now })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((row) => ({
        count: row('anonymous_events.count', '+', row.lit(1)),
        last_at: now,
      })),
    )
    .execute();
}

async function incrementCount(executor: Executor, key: string, now: number): Promise<boolean> {
  const updatedRow = await executor
    .updateTable('anonymous_events')
    .set((row) => ({ count: row('count', '+', row.lit(1)), last_at: now }))
    .where('key', '=', key)
    .returning('key')
    .executeTakeFirst();
  return updatedRow !== undefined;
}

/** The count of one hour. Times are in milliseconds since 1970. */
export interface CountedAnonymousEvent {
  readonly type: string;
  readonly network: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Lists the `limit` most recently changed counts. */
export async function listAnonymousEvents(executor: Executor, limit: number): Promise<CountedAnonymousEvent[]> {
  return executor
    .selectFrom('anonymous_events')
    .select(['type', 'network', 'count', 'created_at as firstAt', 'last_at as lastAt'])
    .orderBy('created_at', 'desc')
    .orderBy('key')
    .limit(limit)
    .execute();
}
