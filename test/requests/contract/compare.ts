/** Says how values differ, in one line each. */

import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../sandbox/json.ts';

/** `query.limit: expected "5", sent nothing` for each member that differs. */
export function compareMembers(place: string, wanted: JsonObject, sent: JsonObject): string[] {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(sent)])];
  const own = (values: JsonObject, name: string): unknown => (Object.hasOwn(values, name) ? values[name] : undefined);
  return names
    .filter((name) => !isDeepStrictEqual(own(wanted, name), own(sent, name)))
    .map((name) => difference(`${place}.${name}`, own(wanted, name), own(sent, name)));
}

export function difference(address: string, wanted: unknown, sent: unknown): string {
  return `${address}: expected ${shown(wanted)}, sent ${shown(sent)}`;
}

export function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
