/** Folds `$ref` siblings and `allOf` into one schema, so that a model reads one object instead of a hierarchy. */

import { canonicalJson, isRecord } from '../../json.ts';
import { SCHEMA_MAP_KEYWORDS } from '../../load/keywords.ts';
import type { Schema } from '../../model/types.ts';
import { remember } from '../../remember.ts';
import { wordSet } from '../../word-set.ts';
import { isNever, propertyOf, type Resolve, refOf, requiredOf, schemaList, schemaMap } from './readers.ts';

export interface MergedSchema {
  /** Without `$ref` and `allOf` at its root. */
  readonly schema: Schema;
  /**
   * Parts that could not be folded, and references that may not be followed: each must hold in addition to `schema`.
   */
  readonly leftovers: readonly Schema[];
  /** References that were followed. */
  readonly followed: readonly string[];
  /** True if a part restricts all other properties, and another part has some of those: together they accept more. */
  readonly isWider: boolean;
}

/**
 * One schema for a schema with `$ref` and `allOf` at its root.
 *
 * Constraints of all parts apply together; texts and defaults of the outer part win. `additionalProperties: false` in
 * one part closes the whole object over the properties of all parts, which is what its author meant. Properties that
 * several parts describe differently become `{allOf: [...]}`, which is merged when they are read. A reference that
 * several parts share is followed once: the second time adds nothing, and twice at each of 24 levels is 16 million
 * times.
 *
 * @param isBeingWritten true for references that are being written: following them again would never end
 */
export function mergeAllOf(
  schema: Schema,
  resolve: Resolve,
  isBeingWritten: (ref: string) => boolean = () => false,
): MergedSchema {
  const leftovers: Schema[] = [];
  const merged: Record<string, unknown> = {};
  const followed = new Set<string>();
  const partsOf = (node: Schema): readonly Schema[] => {
    const { $ref: _, allOf: __, ...siblings } = node;
    const allOfParts = schemaList(node, 'allOf').flatMap(partsOf);
    const ref = refOf(node);
    if (ref === null || followed.has(ref)) return [...allOfParts, siblings];
    if (isBeingWritten(ref)) return [{ $ref: ref }, ...allOfParts, siblings];
    followed.add(ref);
    return [...partsOf(resolve(ref)), ...allOfParts, siblings];
  };
  let isWider = false;
  for (const part of partsOf(schema)) {
    isWider ||= exempts(merged, part) || exempts(part, merged);
    const conflict = refOf(part) === null ? mergeInto(merged, part) : part;
    if (Object.keys(conflict).length > 0) leftovers.push(conflict);
  }
  return { schema: merged, leftovers, followed: [...followed], isWider };
}

/** True if `other` has properties that the `additionalProperties` of `part` would reject. */
function exempts(part: Schema, other: Schema): boolean {
  const { additionalProperties } = part;
  if (additionalProperties === undefined || allowsAnything(additionalProperties)) return false;
  return schemaMap(other, 'properties').some(([name]) => propertyOf(part, name) === null);
}

/** True for a property that only answers have. */
export function isReadOnly(schema: Schema, resolve: Resolve): boolean {
  return isMarked(schema, 'readOnly', resolve);
}

/**
 * Names of the properties that no request has. Empty if all of them are marked: a schema that answers share, such as a
 * reference by id, would otherwise become an empty object.
 */
export function readOnlyMembers(
  properties: readonly (readonly [string, Schema])[],
  resolve: Resolve,
): readonly string[] {
  const names = properties.filter(([, member]) => isReadOnly(member, resolve)).map(([name]) => name);
  return names.length === properties.length ? [] : names;
}

/** True for a property that only requests have. */
export function isWriteOnly(schema: Schema, resolve: Resolve): boolean {
  return isMarked(schema, 'writeOnly', resolve);
}

/** Like the merged schema, for which one marked part is enough. */
function isMarked(schema: Schema, mark: 'readOnly' | 'writeOnly', resolve: Resolve): boolean {
  const followed = new Set<string>();
  const hasMark = (part: Schema): boolean => {
    if (part[mark] === true || schemaList(part, 'allOf').some(hasMark)) return true;
    const ref = refOf(part);
    if (ref === null || followed.has(ref)) return false;
    followed.add(ref);
    return hasMark(resolve(ref));
  };
  return hasMark(schema);
}

/** Folds `part` into `merged` and returns the keywords of `part` that contradict it. */
function mergeInto(merged: Record<string, unknown>, part: Schema): Schema {
  const conflict: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(part)) {
    if (!Object.hasOwn(merged, keyword)) merged[keyword] = value;
    else {
      const folded = fold(keyword, merged[keyword], value);
      if (folded === undefined) conflict[keyword] = value;
      else merged[keyword] = folded;
    }
  }
  return conflict;
}

/** One value that means both, or undefined. */
function fold(keyword: string, earlier: unknown, later: unknown): unknown {
  if (WORDS.has(keyword)) return later;
  if (keyword === 'discriminator') return earlier;
  if (FLAGS.has(keyword)) return earlier === true || later === true;
  if (keyword === 'required')
    return [...new Set([...requiredOf({ required: earlier }), ...requiredOf({ required: later })])];
  if (isEqual(earlier, later)) return earlier;
  if (LOWER_BOUNDS.has(keyword)) return foldNumbers(Math.max, earlier, later);
  if (UPPER_BOUNDS.has(keyword)) return foldNumbers(Math.min, earlier, later);
  if (keyword === 'type') return foldTypes(earlier, later);
  if (keyword === 'enum') return foldEnums(earlier, later);
  if (SCHEMA_MAP_KEYWORDS.some((map) => map === keyword)) return foldMembers(earlier, later);
  if (keyword === 'additionalProperties') return foldAdditional(earlier, later);
  if (keyword === 'items' || keyword === 'propertyNames') return allOfBoth(earlier, later);
  return undefined;
}

const WORDS = wordSet('description title default examples example $comment');
const FLAGS = new Set(['readOnly', 'writeOnly', 'deprecated', 'uniqueItems']);
const LOWER_BOUNDS = wordSet('minimum exclusiveMinimum minLength minItems minProperties minContains');
const UPPER_BOUNDS = wordSet('maximum exclusiveMaximum maxLength maxItems maxProperties maxContains');

function foldNumbers(pick: (a: number, b: number) => number, earlier: unknown, later: unknown): number | undefined {
  return typeof earlier === 'number' && typeof later === 'number' ? pick(earlier, later) : undefined;
}

function foldTypes(earlier: unknown, later: unknown): unknown {
  const earlierTypes = [earlier].flat();
  const laterTypes = [later].flat();
  const common = earlierTypes.filter(
    (type) => laterTypes.includes(type) || (type === 'integer' && laterTypes.includes('number')),
  );
  const isNarrowed = earlierTypes.includes('number') && laterTypes.includes('integer');
  if (isNarrowed && !earlierTypes.includes('integer')) common.push('integer');
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
    const existing = members.get(key);
    members.set(key, existing === undefined || isEqual(existing, value) ? value : allOfBoth(existing, value));
  }
  return Object.fromEntries(members);
}

function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  const [ref, other] = [left, right].map((value) => (isRecord(value) ? value.$ref : undefined));
  if (typeof ref === 'string' && typeof other === 'string' && ref !== other) return false;
  return canonicalJson(left) === canonicalJson(right);
}

const pairs = new WeakMap<object, WeakMap<object, Schema>>();

/** `{allOf: [earlier, later]}`: the same object for the same two parts, so that it is read and written once. */
function allOfBoth(earlier: unknown, later: unknown): Schema {
  if (!isRecord(earlier) || !isRecord(later)) return { allOf: [earlier, later] };
  const pairsOfEarlier = remember(pairs, earlier, () => new WeakMap<object, Schema>());
  return remember(pairsOfEarlier, later, () => ({ allOf: [earlier, later] }));
}

function foldAdditional(earlier: unknown, later: unknown): unknown {
  if (isNever(earlier) || isNever(later)) return false;
  if (allowsAnything(earlier)) return later;
  return allowsAnything(later) ? earlier : allOfBoth(earlier, later);
}

function allowsAnything(value: unknown): boolean {
  return value === true || (isRecord(value) && Object.keys(value).length === 0);
}
