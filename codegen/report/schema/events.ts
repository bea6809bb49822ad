/** The differences between two JSON Schemas, place by place, unjudged: input and output judge them differently. */

import { isRecord, isSame, toRecord, withoutUndefined } from '../../json.ts';
import { wordSet } from '../../word-set.ts';
import type { Schema } from '../types.ts';
import { labelOf, matchAlternatives } from './alternatives.ts';
import { compareConstraint, doAllKeep, isConstraint } from './constraints.ts';
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
  readonly comparedPairs: Map<unknown, Set<unknown>>;
}

interface SchemaLocation {
  readonly place: string;
  readonly pointer: readonly (string | number)[];
}

/** Limits cycles through references with siblings, which would not end otherwise. */
const MAX_PLACE = 1000;
const STRUCTURE = wordSet('type enum const properties required items prefixItems $ref $defs');

const SHAPE = ['type', 'enum', 'const', 'properties', 'items', 'prefixItems', 'required'];
const COMBINATORS = new Set(['anyOf', 'oneOf', 'allOf', 'not']);

/** Compares two schemas with their own `$defs`. */
export function compareSchemas(before: Schema, after: Schema): SchemaEvent[] {
  const walk: Walk = { roots: [before, after], events: [], comparedPairs: new Map() };
  compareAt(before, after, { place: '', pointer: [] }, walk);
  const order = memberOrder(before, after);
  return order === null ? walk.events : [...walk.events, order];
}

function compareAt(rawBefore: unknown, rawAfter: unknown, start: SchemaLocation, walk: Walk): void {
  if (isSame(rawBefore, rawAfter) && !hasReference(rawBefore)) return;
  const before = resolve(rawBefore, walk.roots[0]).schema;
  const resolved = resolve(rawAfter, walk.roots[1]);
  const after = resolved.schema;
  const location: SchemaLocation =
    resolved.pointer === null ? start : { place: start.place, pointer: resolved.pointer };
  if (start.place.length > MAX_PLACE) return;
  const comparedWith = walk.comparedPairs.get(before) ?? new Set();
  if (comparedWith.has(after)) return;
  walk.comparedPairs.set(before, comparedWith.add(after));

  compareAlternatives(before, after, location, walk);
  const split = isSplit(before, after);
  if (!split) {
    compareType(before, after, location, walk);
    compareValues(before, after, location, walk);
    compareMembers(before, after, location, walk);
    compareItems(before, after, location, walk);
  }
  const oldValues = valuesOf(before);
  for (const keyword of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (STRUCTURE.has(keyword) || COMBINATORS.has(keyword) || (split && isConstraint(keyword))) continue;
    compareKeyword(keyword, [before[keyword], after[keyword]], { location, oldValues }, walk);
  }
}

function compareKeyword(
  keyword: string,
  [before, after]: readonly [unknown, unknown],
  { location, oldValues }: { readonly location: SchemaLocation; readonly oldValues: readonly unknown[] | null },
  walk: Walk,
): void {
  if (isSame(before, after)) return;
  const isNested = keyword === 'additionalProperties' && isRecord(before) && isRecord(after);
  if (isNested) {
    compareAt(before, after, { place: `${location.place}{}`, pointer: [...location.pointer, keyword] }, walk);
    return;
  }
  const event = (kind: SchemaEventKind, note?: string) =>
    push(walk, kind, keywordAt(location, keyword), withoutUndefined({ before, after, note }));
  if (TEXTS.has(keyword)) event('text');
  else if (keyword === 'default') event('default');
  else if (isConstraint(keyword)) {
    const { kind, note } = compareConstraint(keyword, before, after);
    event(kind === 'tightened' && doAllKeep(oldValues, keyword, after) ? 'other' : kind, note);
  } else event('other');
}

function compareType(before: Schema, after: Schema, location: SchemaLocation, walk: Walk): void {
  const [old, now] = [impliedTypeOf(before, walk.roots[0]), impliedTypeOf(after, walk.roots[1])];
  const isStated = typeOf(before) !== undefined && typeOf(after) !== undefined;
  if (typeOf(before) === typeOf(after)) return;
  const change = isStated ? compareTypes(old, now) : compareTypes(withoutNull(old), withoutNull(now));
  if (change === 'same') return;
  if ((before.type === undefined || after.type === undefined) && hasAlternatives(before) !== hasAlternatives(after)) {
    return;
  }
  push(walk, `type-${change}`, keywordAt(location, 'type'), { before: before.type, after: after.type });
}

/** `enum`, with `const` as an `enum` of one value. */
function compareValues(before: Schema, after: Schema, location: SchemaLocation, walk: Walk): void {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  if (isSame(old, now)) return;
  const enumLocation = keywordAt(location, 'enum');
  const removedValues = old?.filter((value) => now !== null && !now.some((other) => isSame(value, other))) ?? [];
  const addedValues = now?.filter((value) => !old?.some((other) => isSame(value, other))) ?? [];
  const values = { before: old ?? undefined, after: now ?? undefined };
  if (old === null) push(walk, 'enum-narrowed', enumLocation, { ...values, note: 'any value was allowed' });
  else if (now === null) push(walk, 'enum-widened', enumLocation, { ...values, note: 'any value is allowed' });
  else if (removedValues.length === 0 && addedValues.length === 0)
    push(walk, 'text', enumLocation, { ...values, note: 'another order' });
  else {
    if (removedValues.length > 0)
      push(walk, 'enum-narrowed', enumLocation, { ...values, note: `gone: ${list(removedValues)}` });
    if (addedValues.length > 0)
      push(walk, 'enum-widened', enumLocation, { ...values, note: `new: ${list(addedValues)}` });
  }
}

function compareMembers(before: Schema, after: Schema, location: SchemaLocation, walk: Walk): void {
  const [old, now] = [toRecord(before.properties), toRecord(after.properties)];
  const [oldRequired, newRequired] = [stringsOf(before.required), stringsOf(after.required)];
  if (isOpen(before) !== isOpen(after)) {
    const [kind, propertiesLocation] = [
      isOpen(after) ? 'described-less' : 'described-more',
      keywordAt(location, 'properties'),
    ] as const;
    const names = {
      before: isOpen(before) ? undefined : Object.keys(old),
      after: isOpen(after) ? undefined : Object.keys(now),
    };
    if (Object.keys(old).length + Object.keys(now).length > 0) push(walk, kind, propertiesLocation, names);
    const added = newRequired.filter((name) => !oldRequired.includes(name));
    if (added.length > 0) push(walk, 'tightened', keywordAt(location, 'required'), { after: added });
    return;
  }
  for (const [name, schema] of Object.entries(old)) {
    if (!Object.hasOwn(now, name)) push(walk, 'member-removed', memberAt(location, name), { before: schema });
  }
  for (const [name, schema] of Object.entries(now)) {
    const memberLocation = memberAt(location, name);
    const required = newRequired.includes(name);
    if (!Object.hasOwn(old, name)) {
      push(walk, 'member-added', memberLocation, { after: schema, required });
      continue;
    }
    if (required && !oldRequired.includes(name)) push(walk, 'made-required', memberLocation, {});
    if (!required && oldRequired.includes(name)) push(walk, 'made-optional', memberLocation, {});
    compareAt(old[name], schema, memberLocation, walk);
  }
}

function compareItems(before: Schema, after: Schema, location: SchemaLocation, walk: Walk): void {
  for (const keyword of ['items', 'prefixItems'] as const) {
    const [old, now] = [before[keyword], after[keyword]];
    if (old === undefined && now === undefined) continue;
    if (isRecord(old) && isRecord(now)) {
      compareAt(old, now, { place: `${location.place}[]`, pointer: [...location.pointer, keyword] }, walk);
    } else if (!isSame(old, now)) {
      push(
        walk,
        old === undefined ? 'tightened' : now === undefined ? 'loosened' : 'other',
        keywordAt(location, keyword),
        {
          before: old,
          after: now,
        },
      );
    }
  }
}

function compareAlternatives(before: Schema, after: Schema, location: SchemaLocation, walk: Walk): void {
  for (const keyword of ['allOf', 'not'] as const) {
    const [old, now] = [before[keyword], after[keyword]];
    if (isSame(old, now)) continue;
    const kind = old === undefined ? 'tightened' : now === undefined ? 'loosened' : 'other';
    push(walk, kind, keywordAt(location, keyword), { before: old, after: now });
  }
  if (!hasAlternatives(before) && !hasAlternatives(after)) return;
  const keyword = after.oneOf === undefined && after.anyOf !== undefined ? 'anyOf' : 'oneOf';
  const [old, now] = [alternativesOf(before), alternativesOf(after)];
  if (compareForms(old, now, keywordAt(location, keyword), walk)) return;
  const { pairs, removed, added } = matchAlternatives(old, now, walk.roots);
  for (const alternative of removed) {
    push(walk, 'alternative-removed', keywordAt(location, keyword), {
      before: alternative,
      ...noteOf(alternative, walk.roots[0]),
    });
  }
  for (const { before: oldAlternative, after: newAlternative } of pairs) {
    compareAt(
      oldAlternative,
      newAlternative,
      { place: location.place, pointer: [...location.pointer, keyword, now.indexOf(newAlternative)] },
      walk,
    );
  }
  for (const alternative of added) {
    push(walk, 'alternative-added', keywordAt(location, keyword), {
      after: alternative,
      ...noteOf(alternative, walk.roots[1]),
    });
  }
  const order = pairs.map(({ after: newAlternative }) => now.indexOf(newAlternative));
  if (order.every((index, position) => position === 0 || index > (order[position - 1] ?? 0))) return;
  const labels = (list: readonly Schema[], rootIndex: 0 | 1) =>
    list.map((alternative) => labelOf(alternative, walk.roots[rootIndex]));
  const values = { before: labels(old, 0), after: labels(now, 1), note: 'another order' };
  push(walk, 'text', keywordAt(location, keyword), values);
}

/**
 * Compares an object with the forms that it was split into, or that were joined to it: all members of the forms with those of the object.
 * False if the alternatives are not such forms.
 */
function compareForms(
  before: readonly Schema[],
  after: readonly Schema[],
  location: SchemaLocation,
  walk: Walk,
): boolean {
  if (Math.min(before.length, after.length) !== 1 || before.length === after.length) return false;
  const [old, now] = [joinForms(before, walk.roots[0]), joinForms(after, walk.roots[1])];
  if (old === null || now === null) return false;
  const [place = ''] = location.place.split('#');
  compareAt(old, now, { place, pointer: location.pointer.slice(0, -1) }, walk);
  const labels = (forms: readonly Schema[], root: Schema) => forms.map((form) => labelOf(form, root));
  const doesRequireMore = after.every((form) =>
    requiredOf(form, walk.roots[1]).some((name) => !stringsOf(old.required).includes(name)),
  );
  const values = { before: labels(before, walk.roots[0]), after: labels(after, walk.roots[1]) };
  push(walk, doesRequireMore ? 'tightened' : 'other', location, values);
  return true;
}

function requiredOf(form: Schema, root: Schema): readonly string[] {
  return stringsOf(resolve(form, root).schema.required);
}

/** One object with the members of all forms. Null if a form is no object that lists its members. */
function joinForms(forms: readonly Schema[], root: Schema): Schema | null {
  const schemas = forms.map((form) => resolve(form, root).schema);
  if (schemas.some((schema) => !isRecord(schema.properties) || hasAlternatives(schema))) return null;
  const [first = {}, ...others] = schemas;
  return others.reduce(joinObjects, first);
}

/** A member of both has the values of both; if anything else differs, the member of the first counts. */
function joinObjects(one: Schema, other: Schema): Schema {
  const properties = new Map(Object.entries(toRecord(one.properties)));
  for (const [name, member] of Object.entries(toRecord(other.properties))) {
    const known = properties.get(name);
    const [values, otherValues] = [known, member].map((schema) => (isRecord(schema) ? valuesOf(schema) : null));
    if (known === undefined) properties.set(name, member);
    else if (values != null && otherValues != null && isRecord(known)) {
      const { const: _, ...rest } = known;
      properties.set(name, { ...rest, enum: [...new Set([...values, ...otherValues])] });
    }
  }
  const required = stringsOf(one.required).filter((name) => stringsOf(other.required).includes(name));
  return { ...one, properties: Object.fromEntries(properties), required };
}

/** Additional information that the value alone does not show. */
function noteOf(alternative: Schema, root: Schema): { note?: string } {
  const label = labelOf(alternative, root);
  return alternative.type === label ? {} : { note: label };
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
  const oldOrder = Object.keys(old).filter((name) => Object.hasOwn(now, name));
  const newOrder = Object.keys(now).filter((name) => Object.hasOwn(old, name));
  if (isSame(oldOrder, newOrder)) return null;
  return { kind: 'order', place: '', pointer: ['properties'], before: oldOrder, after: newOrder };
}

/**
 * A schema without alternatives is its only alternative; if it also accepts `null`, written as alternatives, there are
 * two.
 */
function alternativesOf(schema: Schema): Schema[] {
  const list = [schema.anyOf, schema.oneOf].flatMap((value) => (Array.isArray(value) ? value : []));
  if (list.length > 0) return list as Schema[];
  const plainSchema = withoutTexts(schema) as Schema;
  const types = Array.isArray(plainSchema.type) ? plainSchema.type.filter((type) => type !== 'null') : [];
  if (types.length === 0 || types.length === (plainSchema.type as readonly unknown[]).length) return [plainSchema];
  return [{ ...plainSchema, type: types.length === 1 ? types[0] : types }, { type: 'null' }];
}

function hasAlternatives(schema: Schema): boolean {
  return schema.anyOf !== undefined || schema.oneOf !== undefined;
}

/** True if there is a reference: two equal references may lead to different definitions. */
function hasReference(value: unknown): boolean {
  return JSON.stringify(value)?.includes('"$ref"') ?? false;
}

function push(
  walk: Walk,
  kind: SchemaEventKind,
  location: SchemaLocation,
  rest: Omit<SchemaEvent, 'kind' | 'place' | 'pointer'>,
): void {
  walk.events.push({ kind, place: location.place, pointer: location.pointer, ...rest });
}

function memberAt(location: SchemaLocation, name: string): SchemaLocation {
  return {
    place: location.place === '' ? name : `${location.place}.${name}`,
    pointer: [...location.pointer, 'properties', name],
  };
}

/** A keyword follows its schema after `#`, so that it is not mistaken for a member. */
function keywordAt(location: SchemaLocation, keyword: string): SchemaLocation {
  return { place: `${location.place}#${keyword}`, pointer: [...location.pointer, keyword] };
}

function list(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
}

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : [];
}
