/** The differences between two JSON Schemas, place by place, unjudged: input and output judge them differently. */

import { isRecord, isSame, toRecord } from '../../json.ts';
import type { Schema } from '../types.ts';
import { labelOf, matchAlternatives } from './alternatives.ts';
import { compareConstraint, isConstraint } from './constraints.ts';
import { compareTypes, impliedTypeOf, typeOf, withoutNull } from './json-types.ts';
import { isLeftOpen, resolve, TEXTS, valuesOf, withoutTexts } from './shape.ts';

export type SchemaEventKind =
  | 'member-added'
  | 'member-removed'
  | 'made-required'
  | 'made-optional'
  | 'type-changed'
  | 'type-widened'
  | 'type-narrowed'
  | 'enum-widened'
  | 'enum-narrowed'
  | 'tightened'
  | 'loosened'
  | 'default'
  | 'text'
  | 'order'
  | 'described-less'
  | 'described-more'
  | 'alternative-added'
  | 'alternative-removed'
  | 'other';

export interface SchemaEvent {
  readonly kind: SchemaEventKind;
  /** Members joined by dots, `[]` for items, `{}` for members of any name, a keyword last: `filter.tags[]#maxLength`. */
  readonly place: string;
  readonly pointer: readonly (string | number)[];
  readonly before?: unknown;
  readonly after?: unknown;
  /** Set for an added member. */
  readonly required?: boolean;
  readonly note?: string;
}

interface Walk {
  readonly roots: readonly [Schema, Schema];
  readonly events: SchemaEvent[];
  /** Pairs whose comparison has started: shared definitions are reported once, and cycles end. */
  readonly seen: Map<unknown, Set<unknown>>;
}

interface At {
  readonly place: string;
  readonly pointer: readonly (string | number)[];
}

/** Limits cycles through references with siblings, which would not end otherwise. */
const MAX_PLACE = 1000;
const STRUCTURE = new Set(['type', 'enum', 'const', 'properties', 'required', 'items', 'prefixItems', '$ref', '$defs']);

const SHAPE = ['type', 'enum', 'const', 'properties', 'items', 'prefixItems', 'required'];
const COMBINATORS = new Set(['anyOf', 'oneOf', 'allOf', 'not']);

/** Compares two schemas with their own `$defs`. */
export function compareSchemas(before: Schema, after: Schema): SchemaEvent[] {
  const walk: Walk = { roots: [before, after], events: [], seen: new Map() };
  compareAt(before, after, { place: '', pointer: [] }, walk);
  const order = memberOrder(before, after);
  return order === null ? walk.events : [...walk.events, order];
}

function compareAt(rawBefore: unknown, rawAfter: unknown, where: At, walk: Walk): void {
  if (isSame(rawBefore, rawAfter) && !hasReference(rawBefore)) return;
  const before = resolve(rawBefore, walk.roots[0]).schema;
  const resolved = resolve(rawAfter, walk.roots[1]);
  const after = resolved.schema;
  const at: At = resolved.pointer === null ? where : { place: where.place, pointer: resolved.pointer };
  if (where.place.length > MAX_PLACE) return;
  const met = walk.seen.get(before) ?? new Set();
  if (met.has(after)) return;
  walk.seen.set(before, met.add(after));

  compareAlternatives(before, after, at, walk);
  const split = isSplit(before, after);
  if (!split) {
    compareType(before, after, at, walk);
    compareValues(before, after, at, walk);
    compareMembers(before, after, at, walk);
    compareItems(before, after, at, walk);
  }
  for (const keyword of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (STRUCTURE.has(keyword) || COMBINATORS.has(keyword) || (split && isConstraint(keyword))) continue;
    compareKeyword(keyword, [before[keyword], after[keyword]], at, walk);
  }
}

function compareKeyword(keyword: string, [before, after]: readonly [unknown, unknown], at: At, walk: Walk): void {
  if (isSame(before, after)) return;
  const isNested = keyword === 'additionalProperties' && isRecord(before) && isRecord(after);
  if (isNested) {
    compareAt(before, after, { place: `${at.place}{}`, pointer: [...at.pointer, keyword] }, walk);
    return;
  }
  const event = (kind: SchemaEventKind, note?: string) =>
    push(walk, kind, inside(at, keyword), { before, after, ...(note === undefined ? {} : { note }) });
  if (TEXTS.has(keyword)) event('text');
  else if (keyword === 'default') event('default');
  else if (isConstraint(keyword)) {
    const { kind, note } = compareConstraint(keyword, before, after);
    event(kind, note);
  } else event('other');
}

function compareType(before: Schema, after: Schema, at: At, walk: Walk): void {
  const [old, now] = [impliedTypeOf(before, walk.roots[0]), impliedTypeOf(after, walk.roots[1])];
  const isStated = typeOf(before) !== undefined && typeOf(after) !== undefined;
  if (typeOf(before) === typeOf(after)) return;
  const change = isStated ? compareTypes(old, now) : compareTypes(withoutNull(old), withoutNull(now));
  if (change === 'same') return;
  if ((before.type === undefined || after.type === undefined) && hasAlternatives(before) !== hasAlternatives(after)) {
    return;
  }
  push(walk, `type-${change}`, inside(at, 'type'), { before: before.type, after: after.type });
}

/** `enum`, with `const` as an `enum` of one value. */
function compareValues(before: Schema, after: Schema, at: At, walk: Walk): void {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  if (isSame(old, now)) return;
  const where = inside(at, 'enum');
  const gone = old?.filter((value) => now !== null && !now.some((other) => isSame(value, other))) ?? [];
  const added = now?.filter((value) => !old?.some((other) => isSame(value, other))) ?? [];
  const values = { before: old ?? undefined, after: now ?? undefined };
  if (old === null) push(walk, 'enum-narrowed', where, { ...values, note: 'any value was allowed' });
  else if (now === null) push(walk, 'enum-widened', where, { ...values, note: 'any value is allowed' });
  else if (gone.length === 0 && added.length === 0) push(walk, 'text', where, { ...values, note: 'another order' });
  else {
    if (gone.length > 0) push(walk, 'enum-narrowed', where, { ...values, note: `gone: ${list(gone)}` });
    if (added.length > 0) push(walk, 'enum-widened', where, { ...values, note: `new: ${list(added)}` });
  }
}

function compareMembers(before: Schema, after: Schema, at: At, walk: Walk): void {
  const [old, now] = [toRecord(before.properties), toRecord(after.properties)];
  const [wasRequired, isRequired] = [stringsOf(before.required), stringsOf(after.required)];
  if (isOpen(before) !== isOpen(after)) {
    const [kind, where] = [isOpen(after) ? 'described-less' : 'described-more', inside(at, 'properties')] as const;
    const names = {
      before: isOpen(before) ? undefined : Object.keys(old),
      after: isOpen(after) ? undefined : Object.keys(now),
    };
    if (Object.keys(old).length + Object.keys(now).length > 0) push(walk, kind, where, names);
    const added = isRequired.filter((name) => !wasRequired.includes(name));
    if (added.length > 0) push(walk, 'tightened', inside(at, 'required'), { after: added });
    return;
  }
  for (const [name, schema] of Object.entries(old)) {
    if (!Object.hasOwn(now, name)) push(walk, 'member-removed', memberAt(at, name), { before: schema });
  }
  for (const [name, schema] of Object.entries(now)) {
    const where = memberAt(at, name);
    const required = isRequired.includes(name);
    if (!Object.hasOwn(old, name)) {
      push(walk, 'member-added', where, { after: schema, required });
      continue;
    }
    if (required && !wasRequired.includes(name)) push(walk, 'made-required', where, {});
    if (!required && wasRequired.includes(name)) push(walk, 'made-optional', where, {});
    compareAt(old[name], schema, where, walk);
  }
}

function compareItems(before: Schema, after: Schema, at: At, walk: Walk): void {
  for (const keyword of ['items', 'prefixItems'] as const) {
    const [old, now] = [before[keyword], after[keyword]];
    if (old === undefined && now === undefined) continue;
    if (isRecord(old) && isRecord(now)) {
      compareAt(old, now, { place: `${at.place}[]`, pointer: [...at.pointer, keyword] }, walk);
    } else if (!isSame(old, now)) {
      push(walk, old === undefined ? 'tightened' : now === undefined ? 'loosened' : 'other', inside(at, keyword), {
        before: old,
        after: now,
      });
    }
  }
}

function compareAlternatives(before: Schema, after: Schema, at: At, walk: Walk): void {
  for (const keyword of ['allOf', 'not'] as const) {
    const [old, now] = [before[keyword], after[keyword]];
    if (isSame(old, now)) continue;
    const kind = old === undefined ? 'tightened' : now === undefined ? 'loosened' : 'other';
    push(walk, kind, inside(at, keyword), { before: old, after: now });
  }
  if (!hasAlternatives(before) && !hasAlternatives(after)) return;
  const keyword = after.oneOf === undefined && after.anyOf !== undefined ? 'anyOf' : 'oneOf';
  const [old, now] = [alternativesOf(before), alternativesOf(after)];
  const { pairs, removed, added } = matchAlternatives(old, now, walk.roots);
  for (const one of removed) {
    push(walk, 'alternative-removed', inside(at, keyword), { before: one, ...noteOf(one, walk.roots[0]) });
  }
  for (const { before: one, after: other } of pairs) {
    compareAt(one, other, { place: at.place, pointer: [...at.pointer, keyword, now.indexOf(other)] }, walk);
  }
  for (const one of added) {
    push(walk, 'alternative-added', inside(at, keyword), { after: one, ...noteOf(one, walk.roots[1]) });
  }
  const order = pairs.map(({ after: other }) => now.indexOf(other));
  if (order.every((index, position) => position === 0 || index > (order[position - 1] ?? 0))) return;
  const labels = (list: readonly Schema[], side: 0 | 1) => list.map((one) => labelOf(one, walk.roots[side]));
  const values = { before: labels(old, 0), after: labels(now, 1), note: 'another order' };
  push(walk, 'text', inside(at, keyword), values);
}

/** Additional information that the value alone does not show. */
function noteOf(one: Schema, root: Schema): { note?: string } {
  const label = labelOf(one, root);
  return one.type === label ? {} : { note: label };
}

/**
 * True if one side only lists alternatives, and the other is one of them: keywords outside the list are not compared.
 */
function isSplit(before: Schema, after: Schema): boolean {
  const isList = (schema: Schema) => hasAlternatives(schema) && !SHAPE.some((keyword) => schema[keyword] !== undefined);
  return hasAlternatives(before) ? !hasAlternatives(after) && isList(before) : isList(after);
}

/**
 * True if no member is described and any is allowed: this is how an object that grew too large for a tool is described.
 */
function isOpen(schema: Schema): boolean {
  return (
    isLeftOpen(schema) ||
    (Object.keys(toRecord(schema.properties)).length === 0 && schema.additionalProperties !== false)
  );
}

function memberOrder(before: Schema, after: Schema): SchemaEvent | null {
  const [old, now] = [toRecord(before.properties), toRecord(after.properties)];
  const wasHere = Object.keys(old).filter((name) => Object.hasOwn(now, name));
  const isHere = Object.keys(now).filter((name) => Object.hasOwn(old, name));
  if (isSame(wasHere, isHere)) return null;
  return { kind: 'order', place: '', pointer: ['properties'], before: wasHere, after: isHere };
}

/**
 * A schema without alternatives is its only alternative; if it also accepts `null`, written as alternatives, there are
 * two.
 */
function alternativesOf(schema: Schema): Schema[] {
  const list = [schema.anyOf, schema.oneOf].flatMap((value) => (Array.isArray(value) ? value : []));
  if (list.length > 0) return list as Schema[];
  const only = withoutTexts(schema) as Schema;
  const types = Array.isArray(only.type) ? only.type.filter((type) => type !== 'null') : [];
  if (types.length === 0 || types.length === (only.type as readonly unknown[]).length) return [only];
  return [{ ...only, type: types.length === 1 ? types[0] : types }, { type: 'null' }];
}

function hasAlternatives(schema: Schema): boolean {
  return schema.anyOf !== undefined || schema.oneOf !== undefined;
}

/** True if there is a reference: two equal references may lead to different definitions. */
function hasReference(value: unknown): boolean {
  return JSON.stringify(value)?.includes('"$ref"') ?? false;
}

function push(walk: Walk, kind: SchemaEventKind, at: At, rest: Omit<SchemaEvent, 'kind' | 'place' | 'pointer'>): void {
  walk.events.push({ kind, place: at.place, pointer: at.pointer, ...rest });
}

function memberAt(at: At, name: string): At {
  return { place: at.place === '' ? name : `${at.place}.${name}`, pointer: [...at.pointer, 'properties', name] };
}

/** A keyword follows its schema after `#`, so that it is not mistaken for a member. */
function inside(at: At, keyword: string): At {
  return { place: `${at.place}#${keyword}`, pointer: [...at.pointer, keyword] };
}

function list(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
}

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : [];
}
