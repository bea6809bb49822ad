/** Finds what a local `$ref` leads to, with the pointer of the place itself. */

import { isRecord } from '../../json.ts';
import { fragmentPointer, member, pointerTokens } from '../../json-pointer.ts';

/** References to references to references: more are a circle. */
const MAX_HOPS = 100;

/** A value with the tokens of its pointer: those of the place, not of references on the way to it. */
export interface FoundPlace {
  readonly tokens: readonly string[];
  readonly value: unknown;
}

/** Null where the reference leads nowhere. What it leads to may be another reference; references on the way are followed. */
export function findPlace(document: unknown, ref: string, hops = 0): FoundPlace | null {
  const pointer = ref.startsWith('#') ? fragmentPointer(ref) : null;
  if (pointer === null || hops > MAX_HOPS) return null;
  let place: FoundPlace = { tokens: [], value: document };
  for (const token of pointerTokens(pointer)) {
    const own = member(place.value, token);
    if (own === undefined && isRecord(place.value) && typeof place.value.$ref === 'string') {
      const passed = findPlace(document, place.value.$ref, hops + 1);
      if (passed === null) return null;
      place = passed;
    }
    const value = member(place.value, token);
    if (value === undefined) return null;
    place = { tokens: [...place.tokens, token], value };
  }
  return place;
}
