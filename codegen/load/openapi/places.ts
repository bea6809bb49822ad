/** Finds the target of a local `$ref`, with the target's own pointer. */

import { isRecord } from '../../json.ts';
import { fragmentPointer, member, pointerTokens } from '../../json-pointer.ts';

/** A longer chain of references is treated as a cycle. */
const MAX_HOPS = 100;

/** A value with the tokens of its pointer, without those of references on the way to it. */
export interface FoundPlace {
  readonly tokens: readonly string[];
  readonly value: unknown;
}

/**
 * Null if the reference does not resolve. References on the way are followed, but the target may be another reference.
 */
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
