/** Records what a caller did that no one knows. */

import { type AnonymousEventType, countAnonymousEvent } from '../../store/repositories/anonymous-events.ts';
import type { Executor } from '../../store/schema.ts';
import { siteOf } from '../network.ts';

/**
 * Counts an event for its hour and network.
 *
 * For everything that a caller can cause without credentials, or again and again with the same ones: such events cost the same
 * however often they happen, go after days, and stand apart from the audit trail.
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
