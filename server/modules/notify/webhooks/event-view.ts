/** Events on the wire: one schema writes them for the partner API and for the body of a webhook. */

import { z } from 'zod';
import type { InRealm } from '../../../base/realm.ts';
import { type AnswerOf, writeAnswer } from '../../../partners/answer.ts';
import { time } from '../../../partners/shapes.ts';
import type { PartnerEvent } from './outbox.ts';

/** An event as its partner receives it. */
export const EVENT = z
  .object({
    id: z.string(),
    type: z.string(),
    timestamp: time,
    test: z
      .literal(true)
      .optional()
      .meta({ description: 'True: it is of a user of test mode. Absent: of a live one.' }),
    data: z
      .record(z.string(), z.string().nullable())
      .meta({ description: 'The user_id, and what the type says of it.' }),
  })
  .meta({ id: 'Event' });

/** Type of the event that the test button sends. */
export const TEST_TYPE = 'webhook.test';

/** The parts of an event that its partner receives. */
export type EventFacts = Pick<
  PartnerEvent,
  'id' | 'type' | 'external_user_id' | 'service' | 'connection_id' | 'data' | 'created_at'
>;

/** Returns the members of an event for its partner. */
export function toEventView(event: EventFacts, { realm }: InRealm): AnswerOf<typeof EVENT> {
  const { id, type, created_at: timestamp, external_user_id: user_id, service, connection_id } = event;
  const references = Object.entries({ user_id, service, connection_id }).filter(([, value]) => value !== null);
  const data = { ...Object.fromEntries(references), ...event.data };
  return { id, type, timestamp, test: realm === 'test' ? true : null, data };
}

/** Returns the event that the test button sends, which is in no outbox. @param test.createdAt milliseconds since 1970. */
export function toTestEvent(test: { eventId: string; endpointId: string; createdAt: number }): EventFacts {
  return {
    id: test.eventId,
    type: TEST_TYPE,
    external_user_id: null,
    service: null,
    connection_id: null,
    data: { webhook_endpoint_id: test.endpointId },
    created_at: test.createdAt,
  };
}

/** Writes an event as JSON. */
export function writeEvent(event: EventFacts, partner: InRealm): string {
  return JSON.stringify(writeAnswer(EVENT, toEventView(event, partner)));
}
