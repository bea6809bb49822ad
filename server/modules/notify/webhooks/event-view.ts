/** Events on the wire: the same JSON from the partner API and in a webhook's body. */

import type { InRealm } from '../../../base/realm.ts';
import type { PartnerEvent } from './outbox.ts';

/** An event, as its partner gets it. Times are RFC 3339. */
export interface EventView {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  /** True for an event of a user of test mode. Undefined for one of a live user. */
  readonly test?: true;
  /** `user_id`, and members that depend on the type; see docs/reference/events.md. */
  readonly data: Readonly<Record<string, string | null>>;
}

/** Type of the event that the test button sends. */
export const TEST_TYPE = 'webhook.test';

/** Returns an event for its partner. */
export function toEventView(event: PartnerEvent, partner: InRealm): EventView {
  const { id, type, created_at: createdAt, external_user_id: userId, service, connection_id: connectionId } = event;
  const data: Record<string, string | null> = {};
  if (userId !== null) data.user_id = userId;
  if (service !== null) data.service = service;
  if (connectionId !== null) data.connection_id = connectionId;
  return toView({ id, type, createdAt, data: { ...data, ...event.data } }, partner);
}

/** Returns the event that the test button sends, which is in no outbox. @param test.createdAt milliseconds since 1970. */
export function toTestView(
  { eventId, endpointId, createdAt }: { eventId: string; endpointId: string; createdAt: number },
  partner: InRealm,
): EventView {
  const data = { webhook_endpoint_id: endpointId };
  return toView({ id: eventId, type: TEST_TYPE, createdAt, data }, partner);
}

interface EventFacts {
  readonly id: string;
  readonly type: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly data: EventView['data'];
}

function toView({ id, type, createdAt, data }: EventFacts, { realm }: InRealm): EventView {
  const timestamp = new Date(createdAt).toISOString();
  return realm === 'test' ? { id, type, timestamp, test: true, data } : { id, type, timestamp, data };
}
