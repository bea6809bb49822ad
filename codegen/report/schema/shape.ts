/**
 * Normalises schemas for comparison: follows references, turns alternatives of values into lists, drops explanations.
 */

import { isRecord, toRecord } from '../../json.ts';
import { pointerTokens } from '../../json-pointer.ts';
import { wordSet } from '../../word-set.ts';
import type { Schema } from '../types.ts';

/** Keywords that only explain, and reject no value. */
export const TEXTS = wordSet('description title examples example $comment');
const VALUES = new Set(['type', 'enum', 'const']);

/** The schema without the keywords that only explain. */
export function withoutTexts(schema: Schema): unknown {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !TEXTS.has(keyword)));
}

/** Values of `enum` or `const`; null if any is allowed. */
export function valuesOf(schema: Schema): unknown[] | null {
  if (Array.isArray(schema.enum)) return schema.enum;
  return 'const' in schema ? [schema.const] : null;
}

const CLOSING = ['$ref', 'required', 'additionalProperties', 'patternProperties', 'oneOf', 'anyOf', 'allOf', 'not'];

/**
 * True for a part that the budget left open: of its members only values are listed, and nothing closes it. The sentence alone, which a
 * vendor can write too, opens nothing.
 */
export function isLeftOpen(schema: Schema): boolean {
  const { description, properties, items } = schema;
  if (typeof description !== 'string' || !description.includes('Described no further here.')) return false;
  return (
    !CLOSING.some((keyword) => keyword in schema) &&
    Object.keys(toRecord(items)).length === 0 &&
    Object.values(toRecord(properties)).every(
      (member) =>
        isRecord(member) && valuesOf(member) !== null && Object.keys(member).every((keyword) => VALUES.has(keyword)),
    )
  );
}

/** Follows local references; siblings of `$ref` count as well. */
export function resolve(raw: unknown, root: Schema): { schema: Schema; pointer: (string | number)[] | null } {
  let schema = isRecord(raw) ? raw : {};
  let pointer: (string | number)[] | null = null;
  for (let hops = 0; typeof schema.$ref === 'string' && hops < 20; hops++) {
    if (!schema.$ref.startsWith('#/$defs/')) break;
    const name = pointerTokens(schema.$ref.slice(1)).slice(1).join('/');
    const target = toRecord(root.$defs)[name];
    if (!isRecord(target)) break;
    const { $ref: _, ...siblings } = schema;
    schema = Object.keys(siblings).length === 0 ? target : { ...target, ...siblings };
    pointer = ['$defs', name];
  }
  return { schema: mergeValues(schema), pointer };
}

/**
 * `oneOf: [{enum: [a]}, {const: b}]` is `enum: [a, b]`: alternatives that only list values, usually in order to
 * describe each.
 */
function mergeValues(schema: Schema): Schema {
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(alternatives) || schema.enum !== undefined || (schema.oneOf && schema.anyOf)) return schema;
  const values = alternatives.map((alternative: Schema) => {
    const otherKeywords = Object.keys(alternative).filter((keyword) => !TEXTS.has(keyword) && !VALUES.has(keyword));
    return otherKeywords.length === 0 ? valuesOf(alternative) : null;
  });
  if (values.includes(null)) return schema;
  const { oneOf: _, anyOf: __, ...rest } = schema;
  const types = [...new Set(alternatives.flatMap((alternative: Schema) => alternative.type ?? []))];
  const type = types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types };
  return { ...type, ...rest, enum: values.flat() };
}
