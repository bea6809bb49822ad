/** Folds `$ref` siblings and `allOf` into one schema, so that a model reads one object instead of a hierarchy. */

import type { Schema } from '../model/types.ts';
import { canonicalJson, isNever, isRecord, type Resolve, refOf, requiredOf, schemaList } from './schema.ts';

export interface MergedSchema {
  /** Without `$ref` and `allOf` at its root. */
  readonly schema: Schema;
  /** What could not be folded, and references that were not to be followed: each must hold beside `schema`. */
  readonly leftovers: readonly Schema[];
  /** References that were followed. */
  readonly followed: readonly string[];
}

/**
 * One schema for a schema with `$ref` and `allOf` at its root.
 *
 * Constraints of all parts hold together; texts and defaults of the outer part win. `additionalProperties: false` in
 * one part closes the whole object over the properties of all parts, which is what its author meant. Properties that
 * several parts describe differently become `{allOf: [...]}`, to be merged where they are read.
 *
 * @param isOpen references that are being written already: following them again would never end
 */
export function mergeAllOf(
  schema: Schema,
  resolve: Resolve,
  isOpen: (ref: string) => boolean = () => false,
): MergedSchema {
  const leftovers: Schema[] = [];
  const merged: Record<string, unknown> = {};
  const followed = new Set<string>();
  const partsOf = (node: Schema, path: readonly string[]): readonly Schema[] => {
    const { $ref: _, allOf: __, ...own } = node;
    const parts = schemaList(node, 'allOf').flatMap((part) => partsOf(part, path));
    const ref = refOf(node);
    if (ref === null || path.includes(ref)) return [...parts, own];
    if (isOpen(ref)) return [{ $ref: ref }, ...parts, own];
    followed.add(ref);
    return [...partsOf(resolve(ref), [...path, ref]), ...parts, own];
  };
  for (const part of partsOf(schema, [])) {
    const conflict = refOf(part) === null ? mergeInto(merged, part) : part;
    if (Object.keys(conflict).length > 0) leftovers.push(conflict);
  }
  return { schema: merged, leftovers, followed: [...followed] };
}

/** True for a property that only an answer has. */
export function isReadOnly(schema: Schema, resolve: Resolve): boolean {
  return mergeAllOf(schema, resolve).schema.readOnly === true;
}

/** Folds `part` into `merged` and returns the keywords of `part` that contradict what is there. */
function mergeInto(merged: Record<string, unknown>, part: Schema): Schema {
  const conflict: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(part)) {
    if (!Object.hasOwn(merged, keyword)) merged[keyword] = value;
    else {
      const both = fold(keyword, merged[keyword], value);
      if (both === undefined) conflict[keyword] = value;
      else merged[keyword] = both;
    }
  }
  return conflict;
}

/** The one value that says what both say, or undefined. */
function fold(keyword: string, earlier: unknown, later: unknown): unknown {
  if (WORDS.has(keyword)) return later;
  if (FLAGS.has(keyword)) return earlier === true || later === true;
  if (keyword === 'required')
    return [...new Set([...requiredOf({ required: earlier }), ...requiredOf({ required: later })])];
  if (canonicalJson(earlier) === canonicalJson(later)) return earlier;
  if (LOWER_BOUNDS.has(keyword)) return foldNumbers(Math.max, earlier, later);
  if (UPPER_BOUNDS.has(keyword)) return foldNumbers(Math.min, earlier, later);
  if (keyword === 'type') return foldTypes(earlier, later);
  if (keyword === 'enum') return foldEnums(earlier, later);
  if (SCHEMA_MAPS.has(keyword)) return foldMembers(earlier, later);
  if (keyword === 'additionalProperties') return foldAdditional(earlier, later);
  if (keyword === 'items' || keyword === 'propertyNames') return { allOf: [earlier, later] };
  return undefined;
}

const WORDS = new Set(['description', 'title', 'default', 'examples', 'example', '$comment']);
const FLAGS = new Set(['readOnly', 'writeOnly', 'deprecated', 'uniqueItems']);
const LOWER_BOUNDS = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains']);
const UPPER_BOUNDS = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains']);
const SCHEMA_MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas']);

function foldNumbers(pick: (a: number, b: number) => number, earlier: unknown, later: unknown): number | undefined {
  return typeof earlier === 'number' && typeof later === 'number' ? pick(earlier, later) : undefined;
}

function foldTypes(earlier: unknown, later: unknown): unknown {
  const left = [earlier].flat();
  const right = [later].flat();
  const common = [
    ...left.filter((type) => right.includes(type) || (type === 'integer' && right.includes('number'))),
    ...(left.includes('number') && right.includes('integer') && !left.includes('integer') ? ['integer'] : []),
  ];
  return common.length === 0 ? undefined : common.length === 1 ? common[0] : common;
}

function foldEnums(earlier: unknown, later: unknown): unknown {
  if (!Array.isArray(earlier) || !Array.isArray(later)) return undefined;
  const allowed = new Set(later.map(canonicalJson));
  const common = earlier.filter((value) => allowed.has(canonicalJson(value)));
  return common.length === 0 ? undefined : common;
}

function foldMembers(earlier: unknown, later: unknown): unknown {
  if (!isRecord(earlier) || !isRecord(later)) return undefined;
  const members = new Map(Object.entries(earlier));
  for (const [key, value] of Object.entries(later)) {
    const before = members.get(key);
    const same = before === undefined || canonicalJson(before) === canonicalJson(value);
    members.set(key, same ? value : { allOf: [before, value] });
  }
  return Object.fromEntries(members);
}

function foldAdditional(earlier: unknown, later: unknown): unknown {
  if (isNever(earlier) || isNever(later)) return false;
  if (isOpen(earlier)) return later;
  return isOpen(later) ? earlier : { allOf: [earlier, later] };
}

function isOpen(value: unknown): boolean {
  return value === true || (isRecord(value) && Object.keys(value).length === 0);
}
