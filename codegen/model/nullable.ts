/** Translates OpenAPI 3.0's `nullable` to JSON Schema. */

import { wordSet } from '../word-set.ts';
import type { Schema } from './types.ts';

/** Keywords that do not affect which values are valid: they stay outside an added alternative. */
export const ANNOTATIONS = wordSet('title description default examples deprecated readOnly writeOnly discriminator');
const NULL: Schema = { type: 'null' };

/**
 * Lets a schema accept null if `nullable` says so.
 *
 * A plain `type` gets `null` next to it, and its `enum` a null. `anyOf` and `oneOf` that stand alone get an
 * alternative. Everything else, such as a `$ref` or `allOf` with one, becomes `anyOf` with null. That is wider than
 * OpenAPI 3.0.3 §4.7.24.1, which allows `nullable` only next to a `type` and nothing next to a `$ref`. It is what
 * authors mean: a value can only be cleared with null.
 */
export function withNullable(schema: Schema, isNullable: boolean): Schema {
  if (!isNullable) return schema;
  const asserting = Object.keys(schema).filter((keyword) => !ANNOTATIONS.has(keyword));
  if (asserting.length === 0) return schema;
  const isComposed = asserting.some((keyword) =>
    ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'const', 'if'].includes(keyword),
  );
  if (!isComposed) return { ...schema, ...nullType(schema), ...nullEnum(schema) };
  const [only] = asserting;
  if (asserting.length === 1 && (only === 'anyOf' || only === 'oneOf')) {
    const alternatives = schema[only] as readonly Schema[];
    return alternatives.some(acceptsNull) ? schema : { ...schema, [only]: [...alternatives, NULL] };
  }
  const annotations = Object.entries(schema).filter(([keyword]) => ANNOTATIONS.has(keyword));
  const assertions = Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.has(keyword));
  return { ...Object.fromEntries(annotations), anyOf: [Object.fromEntries(assertions), NULL] };
}

/** True for `allOf` with a part that says only `nullable` and nothing about values: it applies to the whole. */
export function hasNullablePart(allOf: unknown): boolean {
  if (!Array.isArray(allOf)) return false;
  return allOf.some((part: unknown) => {
    if (typeof part !== 'object' || part === null || (part as Schema).nullable !== true) return false;
    return Object.keys(part).every(
      (keyword) => keyword === 'nullable' || ANNOTATIONS.has(keyword) || NOTES.test(keyword),
    );
  });
}

/** Keywords of OpenAPI that do not affect values either. */
const NOTES = /^(x-.*|example|xml|externalDocs)$/;

function nullType(schema: Schema): Schema {
  if (schema.type === undefined) return {};
  const types = [schema.type].flat();
  return { type: types.includes('null') ? schema.type : [...types, 'null'] };
}

function nullEnum(schema: Schema): Schema {
  if (!Array.isArray(schema.enum) || schema.enum.includes(null)) return {};
  return { enum: [...schema.enum, null] };
}

function acceptsNull(schema: Schema): boolean {
  return [schema.type].flat().includes('null');
}
