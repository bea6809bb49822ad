/** Subscriptions by webhook in the store: sealed, woken by events, and ended together with the access that they depend on. */

import { sql } from 'kysely';
import type { EventHandler } from '../../../base/store/events.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { sealedColumnOf } from '../delivery/subscribers.ts';
import type { SubscriptionRow } from './tables.ts';

/** The sealed secrets of subscriptions, with `url` and `arguments`. */
export const SEALED_SUBSCRIPTIONS = sealedColumnOf('event_subscriptions', () => 'event subscription');

/** Selects the subscriptions that were neither ended nor left to expire. */
export function selectLive(executor: Executor, now: number) {
  return executor.selectFrom('event_subscriptions').where('ended', 'is', null).where('refresh_before', '>', now);
}

/**
 * Makes subscriptions due, such as those to an event that was stored as the newest of its connection.
 *
 * A subscription for which nothing waits moves on to just before the newest event of its connection: all earlier ones are delivered, or are not for it.
 *
 * @param filter values of the columns that select the subscriptions.
 */
export async function wakeWhere(transaction: Executor, filter: Partial<SubscriptionRow>, now: number): Promise<void> {
  const beforeNewest = sql<number>`(select i.seq - 1 from event_inlets i where i.id = event_subscriptions.inlet_id)`;
  await transaction
    .updateTable('event_subscriptions')
    .set((row) => ({
      cursor: sql<number>`case when next_attempt_at is null and ${beforeNewest} > cursor then ${beforeNewest} else cursor end`,
      next_attempt_at: sql<number>`coalesce(next_attempt_at, ${now})`,
      wakes: row('wakes', '+', 1),
    }))
    .where((row) => row.and(filter))
    .execute();
}

/** Ends the subscriptions of a grant or connection that ended, and checks the access of those whose grant or user may do less. */
export const endSubscriptions: EventHandler = async (transaction, events) => {
  for (const event of events) {
    if ('module' in event) continue;
    const { type, now } = event;
    if (type === 'grant_narrowed' && event.grantId != null) {
      await wakeWhere(transaction, { grant_id: event.grantId }, now);
    }
    if (type === 'user_allowance_set' && event.userId != null) {
      await wakeWhere(transaction, { user_id: event.userId }, now);
    }
    if (type === 'grant_ended') await endWhere(transaction, { grant_id: event.grantId }, now);
    if (type === 'connection_removed') await endWhere(transaction, { inlet_id: event.connectionId }, now);
  }
};

/**
 * Ends subscriptions. A last message reports the end to their subscribers.
 *
 * @param filter values of the columns that select the subscriptions.
 */
export async function endWhere(executor: Executor, filter: Partial<SubscriptionRow>, now: number): Promise<void> {
  await executor
    .updateTable('event_subscriptions')
    .set({ ended: 'forbidden', next_attempt_at: now })
    .where((row) => row.and(filter))
    .execute();
}
