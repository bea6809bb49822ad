/** Records events of callers who are not authenticated. */

import { type AnonymousEventType, countAnonymousEvent } from '../../store/repositories/anonymous-events.ts';
import type { Executor } from '../../store/schema.ts';
import { siteOf } from '../network.ts';

/**
 * Counts an event by hour and network.
 *
 * For everything that a caller can cause without credentials, or repeatedly with the same ones: the cost of such events does not grow
 * with their number, they expire after days, and they are not part of the audit trail.
 *
 * @param event.now milliseconds since 1970. @param event.address IP address of the request; null: it has none.
 */
export async function recordAnonymousEvent(
  executor: Executor,
  event: { readonly type: AnonymousEventType; readonly now: number; readonly address: string | null },
): Promise<void> {
  const { type, now, address } = event;
  await countAnonymousEvent(executor, { type, now, network: address === null ? 'unknown' : siteOf(address) });
}
