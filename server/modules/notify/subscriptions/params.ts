/** Parameters of the methods of SEP-3415, and its error codes. */

import type { Principal } from '../../../base/principal/principal.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { McpError } from '../../../call/mcp/additions.ts';
import { isObject } from '../../../call/tools/json.ts';
import { InvalidCallError } from '../../../call/tools/provider.ts';
import {
  type AvailableEvent,
  connectionOf,
  type EventRules,
  findArgumentProblem,
  listAvailable,
} from './available-events.ts';
import type { StartingPoint } from './occurrences.ts';

/** Codes of SEP-3415, Error Handling. */
export const CODES = {
  notFound: -32023,
  forbidden: -32024,
  exhausted: -32025,
  unsupported: -32026,
  callback: -32027,
} as const;

export type Params = Readonly<Record<string, unknown>>;

/** The event, arguments and connection that parameters name. */
interface SelectedEvent {
  readonly available: AvailableEvent;
  readonly args: Params;
  /** Row id. */
  readonly connectionId: string;
}

/** Reads `name` and `arguments`. @throws {McpError} for an event that the caller does not have. @throws {InvalidCallError} */
export async function readSelectedEvent(
  db: Executor,
  rules: EventRules,
  principal: Principal,
  { name, arguments: args = {} }: Params,
): Promise<SelectedEvent> {
  if (typeof name !== 'string') throw new InvalidCallError('name must be the name of an event of events/list.');
  if (!isObject(args)) throw new InvalidCallError('arguments must be an object.');
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
  const connectionId = connectionOf(available, principal, args);
  if (connectionId === undefined) throw new InvalidCallError('There is no such account.');
  return { available, args, connectionId };
}

/** Reads `cursor` and `maxAgeMs`. */
export function readStartingPoint({ cursor = null, maxAgeMs }: Params): StartingPoint {
  if (cursor !== null && typeof cursor !== 'string') throw new InvalidCallError('cursor must be a string or null.');
  return { cursor, maxAgeMs: readCount(maxAgeMs, 'maxAgeMs') };
}

/** Reads a whole number. Returns undefined if there is none. */
export function readCount(value: unknown, name: string): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0)) return value as number | undefined;
  throw new InvalidCallError(`${name} must be a whole number.`);
}
