/** Keywords that refuse values: whether a change of one refuses more than before, or less. */

import { isRecord } from '../../json.ts';

interface ConstraintChange {
  /** `other`: refuses what it refused before. */
  readonly kind: 'tightened' | 'loosened' | 'other';
  readonly note?: string;
}

const LOWER = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains']);
const UPPER = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains']);
const OTHER = new Set(['multipleOf', 'uniqueItems', 'pattern', 'format', 'additionalProperties', 'propertyNames']);

/** Formats that say how a value is stored and refuse none that its type accepts. */
const STORAGE = new Set<unknown>(['int64', 'float', 'double', 'password', 'binary', undefined]);

export function isConstraint(keyword: string): boolean {
  return LOWER.has(keyword) || UPPER.has(keyword) || OTHER.has(keyword);
}

/** What cannot be compared, such as two patterns, counts as tightened: some value may be refused that was accepted. */
export function compareConstraint(keyword: string, before: unknown, after: unknown): ConstraintChange {
  if (keyword === 'uniqueItems') return { kind: after === true ? 'tightened' : 'loosened' };
  if (keyword === 'additionalProperties') return compareOpenness(before, after);
  if (keyword === 'format' && STORAGE.has(before) && STORAGE.has(after)) return { kind: 'other' };
  if (before === undefined) return { kind: 'tightened' };
  if (after === undefined) return { kind: 'loosened' };
  if (typeof before === 'number' && typeof after === 'number') {
    if (LOWER.has(keyword)) return { kind: after > before ? 'tightened' : 'loosened' };
    if (UPPER.has(keyword)) return { kind: after < before ? 'tightened' : 'loosened' };
    if (keyword === 'multipleOf') return { kind: before % after === 0 ? 'loosened' : 'tightened' };
  }
  return { kind: 'tightened', note: 'the two cannot be compared' };
}

/** From any members, over members of one schema, to none. An empty schema takes any. */
function compareOpenness(before: unknown, after: unknown): ConstraintChange {
  const isAny = (value: unknown) =>
    value === undefined || value === true || (isRecord(value) && Object.keys(value).length === 0);
  const openness = (value: unknown) => (value === false ? 0 : isAny(value) ? 2 : 1);
  if (openness(after) === 2 && openness(before) === 2) return { kind: 'other' };
  return { kind: openness(after) < openness(before) ? 'tightened' : 'loosened' };
}
