/** Events on the wire: the same JSON from the partner API and in a webhook's body. */

import type { InRealm } from '../../base/realm.ts';
import type { PartnerEvent } from './outbox.ts';

/** An event, as its partner gets it. Times are RFC 3339. */
export interface EventView {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  /** Of a user of test mode. Absent: of a live one. */
  readonly test?: true;
  /** `user_id`, and members that depend on the type; see docs/reference/events.md. */
  readonly data: Readonly<Record<string, string | null>>;
}

/** Type of the event that the test button sends. */
export const TEST_TYPE = 'webhook.test';

/** @param partner whose event it is. */
export function toEventView(event: PartnerEvent, partner: InRealm): EventView {
  const { id, type, createdAt, externalUserId, service, connectionId, data } = event;
  return {
    id,
    type,
    timestamp: new Date(createdAt).toISOString(),
    ...markOf(partner),
    data: {
      ...(externalUserId === null ? {} : { user_id: externalUserId }),
      ...(service === null ? {} : { service }),
      ...(connectionId === null ? {} : { connection_id: connectionId }),
      ...data,
    },
  };
}

function markOf({ realm }: InRealm): Pick<EventView, 'test'> {
  return realm === 'test' ? { test: true } : {};
}

/** What the test button sends, which is in no outbox. @param createdAt milliseconds since 1970. */
export function toTestView(
  test: { readonly eventId: string; readonly endpointId: string; readonly createdAt: number },
  partner: InRealm,
): EventView {
  const { eventId, endpointId, createdAt } = test;
  return {
    id: eventId,
    type: TEST_TYPE,
    timestamp: new Date(createdAt).toISOString(),
    ...markOf(partner),
    data: { webhook_endpoint_id: endpointId },
  };
}
