/** Finds the target of a local `$ref`, with the target's own pointer. */

import { isRecord, toRecord } from '../../json.ts';
import { fragmentPointer, member, pointerTokens } from '../../json-pointer.ts';

/** A longer chain of references is treated as a cycle. */
const MAX_HOPS = 100;

/** A value with the tokens of its pointer, without those of references on the way to it. */
export interface LocatedValue {
  readonly tokens: readonly string[];
  readonly value: unknown;
}

/**
 * Null if the reference does not resolve. References on the way are followed, but the target may be another reference.
 */
export function findTarget(document: unknown, ref: string, hops = 0): LocatedValue | null {
  const pointer = ref.startsWith('#') ? fragmentPointer(ref) : null;
  if (pointer === null || hops > MAX_HOPS) return null;
  let target: LocatedValue = { tokens: [], value: document };
  for (const token of pointerTokens(pointer)) {
    const child = member(target.value, token);
    if (child === undefined && isRecord(target.value) && typeof target.value.$ref === 'string') {
      const redirect = findTarget(document, target.value.$ref, hops + 1);
      if (redirect === null) return null;
      target = redirect;
    }
    const value = member(target.value, token);
    if (value === undefined) return null;
    target = { tokens: [...target.tokens, token], value };
  }
  return target;
}

/** The object that a chain of `$ref`s leads to, or the value itself; an empty object for anything else. */
export function resolveObject(document: unknown, value: unknown, hops = 0): Readonly<Record<string, unknown>> {
  const { $ref: ref } = toRecord(value);
  if (typeof ref !== 'string' || hops === MAX_HOPS) return toRecord(value);
  return resolveObject(document, findTarget(document, ref)?.value, hops + 1);
}
