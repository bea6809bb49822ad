/** Parameters and answers of the methods of SEP-3415 as schemas, and its error codes. */

import { z } from 'zod';
import type { Principal } from '../../../base/principal/principal.ts';
import { McpError } from '../../../call/mcp/additions.ts';
import { isObject } from '../../../call/tools/json.ts';
import { InvalidCallError } from '../../../call/tools/provider.ts';
import { time } from '../../../partners/shapes.ts';
import {
  type AvailableEvent,
  connectionOf,
  type EventsContext,
  findArgumentProblem,
  listAvailable,
} from './available-events.ts';

/** Codes of SEP-3415, Error Handling. */
export const CODES = {
  notFound: -32023,
  forbidden: -32024,
  exhausted: -32025,
  unsupported: -32026,
  callback: -32027,
} as const;

export type Params = Readonly<Record<string, unknown>>;

const wholeNumber = (name: string) => {
  const problem = `${name} must be a whole number.`;
  return z.int(problem).min(0, problem);
};

const EVENT_PARAMS = z.object({
  name: z.string('name must be the name of an event of events/list.'),
  arguments: z.custom<Params>(isObject, 'arguments must be an object.').default({}),
  cursor: z.string('cursor must be a string or null.').nullable().default(null),
  maxAgeMs: wholeNumber('maxAgeMs').optional(),
});

export const POLL_PARAMS = EVENT_PARAMS.extend({ maxEvents: wholeNumber('maxEvents').optional() });

const DEFAULT_TTL_MS = 3_600_000;

const delivery = z.custom<Params>(isObject).catch({});

export const SUBSCRIBE_PARAMS = EVENT_PARAMS.extend({
  ttlMs: wholeNumber('ttlMs').nullable().default(DEFAULT_TTL_MS),
  delivery,
});

/** A parameter that names no subscription is not found. */
export const UNSUBSCRIBE_PARAMS = z.object({
  name: z.unknown(),
  arguments: z.custom<Params>(isObject).catch({}),
  delivery,
});

/** An event of a service as clients poll it, and as subscribers receive it: these also get the cursor after it. */
export const OCCURRENCE = z.object({
  eventId: z.string(),
  name: z.string(),
  timestamp: time,
  data: z.unknown(),
  cursor: z.string().optional(),
});

/** The answer to `events/subscribe`. */
export const SUBSCRIBED = z.object({
  id: z.string(),
  refreshBefore: time,
  truncated: z.boolean(),
  cursor: z.string(),
  deliveryStatus: z
    .object({
      active: z.boolean(),
      lastDeliveryAt: time.nullable(),
      lastError: z.string().nullable(),
      failedSince: time.optional(),
    })
    .optional(),
});

/** Reads the parameters of a method. @throws {InvalidCallError} */
export function readParams<Schema extends z.ZodObject>(schema: Schema, params: Params): z.output<Schema> {
  const { data, error } = schema.safeParse(params);
  if (data === undefined) throw new InvalidCallError(error?.issues[0]?.message ?? 'The parameters are invalid.');
  return data;
}

/** The event and the connection that parameters select. */
interface SelectedEvent {
  readonly available: AvailableEvent;
  /** Row id. */
  readonly connectionId: string;
}

/** Selects an event of the caller. @throws {McpError} for an event that the caller does not have. @throws {InvalidCallError} */
export async function selectEvent(
  { db, rules }: EventsContext,
  principal: Principal,
  { name, arguments: args }: z.output<typeof EVENT_PARAMS>,
): Promise<SelectedEvent> {
  const available = (await listAvailable(db, principal, rules)).find(({ type }) => type.name === name);
  if (available === undefined) {
    const types = rules.catalogue.connectors.flatMap(({ events }) => events?.types ?? []);
    if (types.some((type) => type.name === name)) {
      throw new McpError(CODES.forbidden, 'This access has no such event: events/list names what it has.');
    }
    throw new McpError(CODES.notFound, 'There is no such event.', { kind: 'event' });
  }

  const problem = findArgumentProblem(available, args);
  if (problem !== null) throw new InvalidCallError(problem);
  const connectionId = connectionOf(available, args);
  if (connectionId === undefined) throw new InvalidCallError('There is no such account.');
  return { available, connectionId };
}
