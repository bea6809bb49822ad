/** Walks the descriptor: a value with its pointer, and the way along `$ref`s. */

import { toRecord } from '../json.ts';
import { escapeToken, fragmentPointer, member, pointerTokens } from '../json-pointer.ts';

export interface Place {
  readonly value: unknown;
  /** RFC 6901 pointer into the descriptor. */
  readonly pointer: string;
}

/** A longer chain of references is treated as a cycle. */
const MAX_HOPS = 100;

/** The member of a place; its value is undefined if there is none. */
export function below(place: Place, token: string | number): Place {
  return { value: member(place.value, String(token)), pointer: `${place.pointer}/${escapeToken(token)}` };
}

/** Members of an object in the descriptor's order; empty for any other value. */
export function entriesBelow(place: Place): { readonly name: string; readonly place: Place }[] {
  return Object.keys(toRecord(place.value)).map((name) => ({ name, place: below(place, name) }));
}

/** Items of an array; empty for any other value. */
export function itemsBelow(place: Place): Place[] {
  return Array.isArray(place.value) ? place.value.map((_, index) => below(place, index)) : [];
}

/**
 * The place that a local reference points to. References on the way are followed, but the target may be another
 * reference. Null if it does not resolve.
 */
export function lookUp(document: unknown, ref: string): Place | null {
  return walk(document, ref, { hops: 0 });
}

/** The place itself, or the one at the end of its chain of references. */
export function follow(document: unknown, place: Place): Place {
  return pass(document, place, { hops: 0 }) ?? { value: undefined, pointer: place.pointer };
}

/** The string, or an empty one for any other value. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function walk(document: unknown, ref: string, count: { hops: number }): Place | null {
  count.hops += 1;
  const pointer = ref.startsWith('#') ? fragmentPointer(ref) : null;
  if (pointer === null || count.hops > MAX_HOPS) return null;
  let place: Place = { value: document, pointer: '' };
  for (const token of pointerTokens(pointer)) {
    const passed = pass(document, place, count);
    if (passed === null) return null;
    place = below(passed, token);
    if (place.value === undefined) return null;
  }
  return place;
}

function pass(document: unknown, place: Place, count: { hops: number }): Place | null {
  const ref = toRecord(place.value).$ref;
  if (typeof ref !== 'string') return place;
  const next = walk(document, ref, count);
  return next === null ? null : pass(document, next, count);
}
