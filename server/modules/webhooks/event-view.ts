/** Events on the wire: the same JSON from the partner API and in a webhook's body. */

import type { PartnerEvent } from './outbox.ts';

/** An event, as its partner gets it. Times are RFC 3339. */
export interface EventView {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  /** `user_id`, and members that depend on the type; see docs/reference/events.md. */
  readonly data: Readonly<Record<string, string | null>>;
}

/** Type of the event that the test button sends. */
export const TEST_TYPE = 'webhook.test';

export function toEventView(event: PartnerEvent): EventView {
  const { id, type, createdAt, externalUserId, service, connectionId, data } = event;
  return {
    id,
    type,
    timestamp: new Date(createdAt).toISOString(),
    data: {
      ...(externalUserId === null ? {} : { user_id: externalUserId }),
      ...(service === null ? {} : { service }),
      ...(connectionId === null ? {} : { connection_id: connectionId }),
      ...data,
    },
  };
}

/** A test event, which is in no outbox. @param createdAt milliseconds since 1970. */
export function toTestView(test: { eventId: string; endpointId: string; createdAt: number }): EventView {
  const { eventId, endpointId, createdAt } = test;
  return {
    id: eventId,
    type: TEST_TYPE,
    timestamp: new Date(createdAt).toISOString(),
    data: { webhook_endpoint_id: endpointId },
  };
}
