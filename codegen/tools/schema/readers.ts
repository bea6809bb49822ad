/** Small readers of JSON Schema objects, shared by all code that turns descriptor schemas into tool schemas. */

import { isRecord, jsonTypeOf } from '../../json.ts';
import type { SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from '../../load/keywords.ts';
import type { Schema } from '../../model/types.ts';
import { wordSet } from '../../word-set.ts';

export type Resolve = (ref: string) => Schema;

/** The value as a schema; boolean and malformed schemas become `{}` or `{not: {}}`. */
export function toSchema(value: unknown): Schema {
  if (value === false) return { not: {} };
  return isRecord(value) ? value : {};
}

/** True for `false` and `{not: {}}`, which nothing satisfies. */
export function isNever(value: unknown): boolean {
  if (value === false) return true;
  return isRecord(value) && isRecord(value.not) && Object.keys(value.not).length === 0;
}

/** `#/...` of a schema that is a reference, or null. */
export function refOf(schema: Schema): string | null {
  return typeof schema.$ref === 'string' ? schema.$ref : null;
}

/** The list behind `allOf`, `anyOf`, `oneOf` or `prefixItems`; empty if there is none. */
export function schemaList(schema: Schema, keyword: (typeof SCHEMA_LIST_KEYWORDS)[number]): readonly Schema[] {
  const value = schema[keyword];
  return Array.isArray(value) ? value.map(toSchema) : [];
}

/** The schemas behind `anyOf` and `oneOf`. */
export function alternativesOf(schema: Schema): readonly Schema[] {
  return [...schemaList(schema, 'anyOf'), ...schemaList(schema, 'oneOf')];
}

/** The members behind `properties` and similar keywords, in the descriptor's order. */
export function schemaMap(
  schema: Schema,
  keyword: (typeof SCHEMA_MAP_KEYWORDS)[number],
): readonly (readonly [string, Schema])[] {
  const value = schema[keyword];
  return isRecord(value) ? Object.entries(value).map(([key, member]) => [key, toSchema(member)] as const) : [];
}

/** The own property of an object schema, so that `constructor` is not found on every object. */
export function propertyOf(schema: Schema, name: string): Schema | null {
  const properties = schema.properties;
  return isRecord(properties) && Object.hasOwn(properties, name) ? toSchema(properties[name]) : null;
}

export function requiredOf(schema: Schema): readonly string[] {
  const required = schema.required;
  return Array.isArray(required)
    ? [...new Set(required.filter((name): name is string => typeof name === 'string'))]
    : [];
}

const KNOWN_TYPES = wordSet('string number integer boolean object array null');

/**
 * Returns the types that a schema states or clearly implies: `properties` without `type` is an object, `items` an array, and a list of values has the
 * types of its values. Empty for any type.
 */
export function typesOf(schema: Schema): readonly string[] {
  const type = schema.type;
  const stated = (Array.isArray(type) ? type : [type]).filter(
    (name): name is string => typeof name === 'string' && KNOWN_TYPES.has(name),
  );
  if (stated.length > 0) return [...new Set(stated)];
  if (isRecord(schema.properties) || isRecord(schema.additionalProperties)) return ['object'];
  if (schema.items !== undefined || Array.isArray(schema.prefixItems)) return ['array'];
  if (Object.hasOwn(schema, 'const')) return [jsonTypeOf(schema.const)];
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return [...new Set(schema.enum.map(jsonTypeOf))];
  return [];
}
