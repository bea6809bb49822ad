/** Keywords that restrict values: whether a change allows less than before, or more. */

import { isRecord } from '../../json.ts';
import { wordSet } from '../../word-set.ts';

interface ConstraintChange {
  /** `other`: allows the same values as before. */
  readonly kind: 'tightened' | 'loosened' | 'other';
  readonly note?: string;
}

const LOWER = wordSet('minimum exclusiveMinimum minLength minItems minProperties minContains');
const UPPER = wordSet('maximum exclusiveMaximum maxLength maxItems maxProperties maxContains');
const OTHER = wordSet('multipleOf uniqueItems pattern format additionalProperties propertyNames');

const OF_NUMBERS = wordSet('minimum exclusiveMinimum maximum exclusiveMaximum');

/** Formats that describe how a value is stored and reject no value of its type. */
const STORAGE = new Set<unknown>(['int64', 'float', 'double', 'password', 'binary', undefined]);

export function isConstraint(keyword: string): boolean {
  return LOWER.has(keyword) || UPPER.has(keyword) || OTHER.has(keyword);
}

/**
 * A change that cannot be compared, such as of a pattern, counts as tightened: it may reject a value that was accepted.
 */
export function compareConstraint(keyword: string, before: unknown, after: unknown): ConstraintChange {
  if (keyword === 'uniqueItems') return { kind: after === true ? 'tightened' : 'loosened' };
  if (keyword === 'additionalProperties') return compareOpenness(before, after);
  if (keyword === 'format' && STORAGE.has(after)) return { kind: STORAGE.has(before) ? 'other' : 'loosened' };
  if (before === undefined) return { kind: 'tightened' };
  if (after === undefined) return { kind: 'loosened' };
  if (typeof before === 'number' && typeof after === 'number') {
    if (LOWER.has(keyword)) return { kind: after > before ? 'tightened' : 'loosened' };
    if (UPPER.has(keyword)) return { kind: after < before ? 'tightened' : 'loosened' };
    if (keyword === 'multipleOf') return { kind: before % after === 0 ? 'loosened' : 'tightened' };
  }
  return { kind: 'tightened', note: 'the two cannot be compared' };
}

/** Whether each of these values keeps a limit of its length or of its number. False for other keywords, and for null: any value. */
export function doAllKeep(values: readonly unknown[] | null, keyword: string, limit: unknown): boolean {
  const isOfText = keyword.endsWith('Length');
  if (values === null || typeof limit !== 'number' || !(isOfText || OF_NUMBERS.has(keyword))) return false;
  return values.every((value) => {
    const size = isOfText && typeof value === 'string' ? [...value].length : value;
    if (typeof size !== 'number') return true;
    if (size === limit) return !keyword.startsWith('exclusive');
    return LOWER.has(keyword) ? size > limit : size < limit;
  });
}

/** From any members, over members of one schema, to none. An empty schema allows any. */
function compareOpenness(before: unknown, after: unknown): ConstraintChange {
  const isAny = (value: unknown) =>
    value === undefined || value === true || (isRecord(value) && Object.keys(value).length === 0);
  const openness = (value: unknown) => (value === false ? 0 : isAny(value) ? 2 : 1);
  if (openness(after) === 2 && openness(before) === 2) return { kind: 'other' };
  return { kind: openness(after) < openness(before) ? 'tightened' : 'loosened' };
}
