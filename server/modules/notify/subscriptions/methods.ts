/**
 * The methods of SEP-3415 (Events, `io.modelcontextprotocol/events`, Final; the error codes and details as in its draft of 2026-10-05):
 * `events/list`, `events/poll`, `events/subscribe` and `events/unsubscribe`. There is no `events/stream`.
 */

import type { Principal } from '../../../base/principal/principal.ts';
import type { McpAddition } from '../../../call/mcp/additions.ts';
import { publishedOutput } from '../../../call/tools/catalogue/published-output.ts';
import { InvalidCallError } from '../../../call/tools/provider.ts';
import { writeAnswer } from '../../../partners/answer.ts';
import { type AvailableEvent, listAvailable, toPayload } from './available-events.ts';
import { findPosition, listStored, toCursor } from './occurrences.ts';
import { OCCURRENCE, type Params, POLL_PARAMS, readParams, selectEvent } from './params.ts';
import { type SubscribeContext, subscribe, unsubscribe } from './subscribe.ts';

const POLL_MS = 15_000;
const MAX_POLLED = 100;
const DEFAULT_POLLED = 50;

/** Creates the methods that the module adds to the MCP endpoint. */
export function createEventMethods(context: SubscribeContext): McpAddition {
  return {
    // The AI SDK and ChatGPT look for the name that the first drafts had (SEP-3415, Backward Compatibility).
    capabilities: { events: {}, extensions: { 'io.modelcontextprotocol/events': {} } },
    methods: {
      'events/list': async (principal, params) => {
        if (params.cursor != null) throw new InvalidCallError('There is only one page of events: leave cursor out.');
        return { events: (await listAvailable(context.db, principal, context.rules)).map(toListEntry) };
      },
      'events/poll': (principal, params) => poll(principal, params, context),
      'events/subscribe': (principal, params) => subscribe(principal, params, context),
      'events/unsubscribe': (principal, params) => unsubscribe(principal, params, context),
    },
  };
}

function toListEntry({ type: { name, description, tool }, connector, inputSchema, payloadSchema }: AvailableEvent) {
  return {
    name,
    description,
    delivery: ['webhook', 'poll'],
    inputSchema,
    payloadSchema: publishedOutput(payloadSchema),
    _meta: { 'unified-tool-gateway/service': connector.name, 'unified-tool-gateway/tool': tool },
  };
}

async function poll(principal: Principal, params: Params, context: SubscribeContext) {
  const { db, sealer, now: clock } = context;
  const parsed = readParams(POLL_PARAMS, params);
  const { available, connectionId } = await selectEvent(context, principal, parsed);
  const limit = Math.min(parsed.maxEvents || DEFAULT_POLLED, MAX_POLLED);
  const { name } = parsed;
  const now = clock();
  const { seq: after, head, truncated } = await findPosition(db, connectionId, parsed, now);
  const { events, last, isFull } = await listStored(db, sealer, { connectionId, name, after, limit }, now);
  const visibleEvents = events.flatMap((event) => {
    const data = toPayload(available, parsed.arguments, event.data);
    return data === null ? [] : [writeAnswer(OCCURRENCE, { ...event, data })];
  });
  const seq = isFull ? last : Math.max(after, last, head);
  return {
    events: visibleEvents,
    cursor: toCursor(connectionId, seq),
    truncated,
    hasMore: isFull,
    nextPollMs: POLL_MS,
  };
}
