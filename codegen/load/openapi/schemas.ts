/** Reads schemas for their references. The model stage checks the values of their keywords. */

import { isRecord, withoutUndefined } from '../../json.ts';
import { escapeToken } from '../../json-pointer.ts';
import { remember } from '../../remember.ts';
import { findTarget } from './find-target.ts';
import { SUBSCHEMAS } from './objects.ts';
import { describeValue } from './repairs.ts';
import { BROKEN_REFERENCE, type BrokenReference, type Json, type Reading, type Tokens } from './types.ts';

export function readSchema(value: unknown, tokens: Tokens, reading: Reading): void {
  if (!isRecord(value) || reading.isBroken(value, tokens)) return;
  const schema: Json = value;
  if (typeof schema.$dynamicRef === 'string') resolveDynamicReference(schema, schema.$dynamicRef, tokens, reading);
  dropWrongReference(schema, 'a schema', tokens, reading);
  if (typeof schema.$ref === 'string') reading.follow(schema.$ref, tokens, 'Schema');
  if (Array.isArray(schema.enum)) repairEnum(schema, schema.enum, tokens, reading);
  for (const keyword of Object.keys(schema)) {
    const collection = SUBSCHEMAS.get(keyword);
    if (collection === undefined) continue;
    const keywordTokens = [...tokens, keyword];
    if (collection === 'map') readMap(schema, keyword, keywordTokens, reading);
    else if (Array.isArray(schema[keyword])) readItems(schema[keyword], keywordTokens, reading);
    else readSchema(schema[keyword], keywordTokens, reading);
  }
}

/** A `$ref` that is no text is a fault of its object, and taken out of it. Returns whether there was one. */
export function dropWrongReference(object: Json, owner: string, tokens: Tokens, reading: Reading): boolean {
  const { $ref: ref } = object;
  if (ref === undefined || typeof ref === 'string') return false;
  reading.fault(tokens, `\`$ref\` of ${owner} must be a text, and is ${describeValue(ref)}.`);
  delete object.$ref;
  return true;
}

/** Anchors of dynamic references by name, with their pointers, of each document that has such a reference. */
const anchorsByDocument = new WeakMap<object, ReadonlyMap<string, readonly string[]>>();

/**
 * Reads a dynamic reference as a `$ref` where only one schema has its anchor: then the schemas on the way cannot change its target
 * (JSON Schema 2020-12 §8.2.3.2). Any other is left, and reported later.
 */
function resolveDynamicReference(schema: Json, reference: string, tokens: Tokens, reading: Reading): void {
  const document = reading.document as object;
  const anchors = remember(anchorsByDocument, document, () => findAnchors(document));
  const targets = reference.startsWith('#/') ? [reference.slice(1)] : (anchors.get(reference.slice(1)) ?? []);
  const [target] = targets;
  if (target === undefined || targets.length > 1 || schema.$ref !== undefined) return;
  reading.repair('dynamic-reference', tokens, { key: '$dynamicRef', owner: 'a schema', value: reference });
  delete schema.$dynamicRef;
  schema.$ref = `#${target.replaceAll('%', '%25')}`;
}

function findAnchors(document: unknown): ReadonlyMap<string, readonly string[]> {
  const anchors = new Map<string, string[]>();
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { $dynamicAnchor: anchor } = value as Json;
    if (typeof anchor === 'string') anchors.set(anchor, [...(anchors.get(anchor) ?? []), pointer]);
    for (const [key, member] of Object.entries(value)) visit(member, `${pointer}/${escapeToken(key)}`);
  };
  visit(document, '');
  return anchors;
}

function readItems(items: readonly unknown[], tokens: Tokens, reading: Reading): void {
  for (const [index, item] of items.entries()) readSchema(item, [...tokens, String(index)], reading);
}

function readMap(schema: Json, keyword: string, tokens: Tokens, reading: Reading): void {
  const map = schema[keyword];
  if (!isRecord(map) || reading.isBroken(map, tokens)) return;
  const { $ref: ref } = map;
  if (typeof ref === 'string') {
    const target = findTarget(reading.document, ref)?.value;
    if (keyword === 'properties' && isSchema(target)) {
      reading.repair('reference-for-properties', tokens, { key: keyword, owner: 'a schema' });
      delete schema.properties;
      schema.allOf = [...(Array.isArray(schema.allOf) ? schema.allOf : []), { $ref: ref }];
      reading.follow(ref, tokens, 'Schema');
      return;
    }
    const members = toReferences(ref, reading.document);
    if (members === null) {
      reading.fault(tokens, `A \`$ref\` cannot stand for \`${keyword}\` of a schema.`);
      return;
    }
    reading.repair('reference-for-many', tokens, { key: keyword, owner: 'a schema' });
    schema[keyword] = members;
  }
  const members = schema[keyword] as Json;
  for (const name of Object.keys(members)) {
    if (keyword === 'properties' && !isRequired(schema, name) && isUnreadable(members[name])) {
      reading.repair('reference-lost', [...tokens, name], { key: name, owner: 'a schema' });
      members[name] = pickTexts(members[name]);
    }
    readSchema(members[name], [...tokens, name], reading);
  }
}

function isRequired({ required }: Json, name: string): boolean {
  return Array.isArray(required) && required.includes(name);
}

/**
 * True for a schema that cannot be read without the target of a dangling reference: it is in the schema itself, or in
 * anything but optional members. A reference that may not be followed is no mistake to read past.
 */
function isUnreadable(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const broken = value[BROKEN_REFERENCE] as BrokenReference | undefined;
  if (broken !== undefined) return broken.code === 'reference-unresolved';
  return [...SUBSCHEMAS.keys()].some((keyword) => {
    const keywordValue = value[keyword];
    if (typeof keywordValue !== 'object' || keywordValue === null) return false;
    if (SUBSCHEMAS.get(keyword) !== 'map') return [keywordValue].flat().some(isUnreadable);
    return Object.entries(keywordValue).some(
      ([name, member]) => (keyword !== 'properties' || isRequired(value, name)) && isUnreadable(member),
    );
  });
}

function pickTexts(value: unknown): Json {
  const { title, description } = value as Json;
  return withoutUndefined({ title, description });
}

/**
 * Repairs `enum` and `type` that together allow no value: YAML does not read `1.0` and `on` as text, and generators
 * write `object` for any type.
 */
function repairEnum(schema: Json, values: readonly unknown[], tokens: Tokens, reading: Reading): void {
  const { type } = schema;
  const nonNullValues = values.filter((value) => value !== null);
  if (type === 'string' && nonNullValues.some((value) => typeof value === 'number' || typeof value === 'boolean')) {
    reading.repair('enum-texts', tokens, { key: 'enum', owner: 'a schema' });
    schema.enum = values.map((value) => (value === null ? null : String(value)));
  } else if ((type === 'integer' || type === 'number') && nonNullValues.some((value) => typeof value === 'string')) {
    if (!nonNullValues.every((value) => String(value).trim() !== '' && Number.isFinite(Number(value)))) return;
    reading.repair('enum-numbers', tokens, { key: 'enum', owner: 'a schema' });
    schema.enum = values.map((value) => (value === null ? null : Number(value)));
  } else if (
    (type === 'object' || type === 'array') &&
    nonNullValues.length > 0 &&
    nonNullValues.every((value) => !isRecord(value) && !Array.isArray(value))
  ) {
    reading.repair('enum-type', tokens, { key: 'type', owner: 'a schema', value: type });
    delete schema.type;
  }
}

/** True for an object that holds keywords of a schema; false for a map of schemas. */
function isSchema(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return (
    typeof value.type === 'string' ||
    typeof value.$ref === 'string' ||
    ['allOf', 'anyOf', 'oneOf'].some((keyword) => Array.isArray(value[keyword]))
  );
}

/**
 * For a reference to a map or a list: one with a reference to each of its members. Null for a reference to anything
 * else.
 */
export function toReferences(ref: string, document: unknown): Json | Json[] | null {
  const target = findTarget(document, ref)?.value;
  const refTo = (key: string): Json => ({ $ref: `${ref}/${encodeURIComponent(escapeToken(key))}` });
  if (Array.isArray(target)) return target.map((_, index) => refTo(String(index)));
  return isRecord(target) ? Object.fromEntries(Object.keys(target).map((key) => [key, refTo(key)])) : null;
}
