/** Subscriptions by webhook in the store: sealed, woken by events, and ended together with the access that they depend on. */

import { sql } from 'kysely';
import type { CredentialVault } from '../../base/credentials/index.ts';
import { type BoundRow, bindingOf, sealedRowsIn } from '../../base/deliveries/subscribers.ts';
import type { EventHandler } from '../../base/store/events.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { SubscriptionRow } from './tables.ts';

const SEALED_KIND = 'event subscription';

/** The sealed members of a subscription. */
interface SubscriptionSecrets {
  readonly url: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly current: string;
  /** The previous secret, which also signs for a while after a rotation. By default there is none. */
  readonly previous?: string | undefined;
}

export function sealSubscription(
  vault: CredentialVault,
  row: BoundRow,
  { url, args, current, previous }: SubscriptionSecrets,
): string {
  const fields: Record<string, string> = { url, current };
  if (previous !== undefined) fields.previous = previous;
  fields.arguments = JSON.stringify(args);
  return vault.seal(fields, bindingOf(row, SEALED_KIND));
}

/** @throws {CredentialUnreadableError} when the key is missing. */
export function openSubscription(vault: CredentialVault, row: SubscriptionRow): SubscriptionSecrets {
  const fields = vault.open(row.sealed_credential, bindingOf(row, SEALED_KIND));
  const { url = '', current = '', arguments: args = '{}', previous } = fields;
  return { url, current, args: JSON.parse(args), previous };
}

/** The sealed secrets, addresses and arguments. */
export const SEALED_SUBSCRIPTIONS = sealedRowsIn<SubscriptionRow>('event_subscriptions', () => SEALED_KIND);

/** Makes the subscriptions to an event due, once the event is stored as the newest of its connection. */
export async function wakeForEvent(
  transaction: Executor,
  connectionId: string,
  name: string,
  now: number,
): Promise<void> {
  await wakeWhere(transaction, { inlet_id: connectionId, name }, now);
}

/**
 * Makes the subscriptions of a grant due, so that their access is checked again. No event is sent because of that.
 */
async function recheckAccess(transaction: Executor, grantId: string, now: number): Promise<void> {
  await wakeWhere(transaction, { grant_id: grantId }, now);
}

/** Makes subscriptions due. One with nothing waiting starts at the newest event of its connection if it has not passed that, because its cursor may be too old. */
async function wakeWhere(transaction: Executor, filter: Partial<SubscriptionRow>, now: number): Promise<void> {
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

/** Ends the subscriptions of a grant or connection that ended, and checks the access of those whose grant was narrowed. */
export const endSubscriptions: EventHandler = async (transaction, events) => {
  for (const event of events) {
    if ('module' in event) continue;
    const { type, now } = event;
    if (type === 'grant_narrowed' && event.grantId != null) {
      await recheckAccess(transaction, event.grantId, now);
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
