/** Notifies partners of tool calls by old names, once a day per connection and name, off the request path. */

import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import { defineEvents } from '../../base/store/events.ts';
import type { Database } from '../../base/store/schema.ts';
import type { EndedCall } from '../../call/tools/call/dependencies.ts';

/** One call by an old name. */
interface OldNameCall {
  /** Row id. */
  readonly userId: string;
  /** Row id. */
  readonly connectionId: string;
  /** Connector name. */
  readonly service: string;
  /** The old name. */
  readonly calledAs: string;
  readonly tool: string;
  /** Day until which the old name is kept, `YYYY-MM-DD`. */
  readonly until: string;
}

export const EVENTS = defineEvents('tallies', { tool_deprecated_called: null });

/** Returns the calls by an old name that used a connection. */
export function toOldNameCalls(calls: readonly EndedCall[]): OldNameCall[] {
  return calls.flatMap(({ call: { entry, principal, connectionId } }) => {
    const { alias, connector, tool } = entry;
    if (alias === undefined || connectionId === undefined) return [];
    const { name: calledAs, until } = alias;
    return [{ userId: principal.userId, connectionId, service: connector.name, calledAs, tool: tool.name, until }];
  });
}

const DAY_MS = 86_400_000;

/** Beyond this number, a node writes an event again; the store keeps only the first. */
const MAX_REMEMBERED = 10_000;

/**
 * Creates a function that reports calls by old names; it never throws.
 *
 * @param options.now milliseconds since 1970.
 */
export function createOldNameReporter(options: {
  db: Kysely<Database>;
  now: () => number;
  onError: (error: unknown) => void;
}): (calls: readonly OldNameCall[]) => Promise<void> {
  const { db, now, onError } = options;
  const reported = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  return async (calls) => {
    const at = now();
    for (const call of calls) {
      const id = eventIdOf(call, at);
      if (reported.has(id)) continue;
      reported.set(id, true);
      try {
        await write(db, call, { id, now: at });
      } catch (error) {
        reported.delete(id);
        onError(error);
      }
    }
  };
}

/** Returns an id that is the same on every node, so that the store keeps only the first event. */
function eventIdOf({ connectionId, calledAs }: OldNameCall, at: number): string {
  const day = Math.floor(at / DAY_MS);
  return `evt_${hash('sha256', JSON.stringify(['deprecated', connectionId, calledAs, day]), 'hex').slice(0, 32)}`;
}

async function write(db: Kysely<Database>, call: OldNameCall, event: { id: string; now: number }): Promise<void> {
  const { userId, service, connectionId, calledAs, tool, until } = call;
  const partner = { type: 'tool.deprecated_called', data: { called_as: calledAs, tool, until } };
  await EVENTS.emit(db, { type: 'tool_deprecated_called', userId, service, connectionId, partner, ...event });
}
