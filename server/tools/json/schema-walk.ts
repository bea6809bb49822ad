/** Finds what a schema says about one place of a value. */

import type { JsonSchema } from '../../contract/index.ts';
import { parsePointer, readPointer } from './pointer.ts';

/** What a schema says about one place. */
export interface SchemaPlace {
  /** Every schema that speaks of the place; more than one where alternatives or `allOf` do. */
  readonly schemas: readonly JsonSchema[];
  /** Whether the object around the place can do without it. False for elements of arrays. */
  readonly optional: boolean;
}

const MAX_DEPTH = 32;

/**
 * Follows a pointer through `properties`, `items` and `prefixItems`.
 *
 * @returns null when the place is not declared: below a free-form object, or unknown to its object.
 */
export function findPlace(root: JsonSchema, pointer: string): SchemaPlace | null {
  let place: SchemaPlace = { schemas: [root], optional: false };
  for (const token of parsePointer(pointer)) {
    const next = place.schemas.flatMap((schema) => branches(root, schema)).flatMap((schema) => step(schema, token));
    if (next.length === 0) return null;
    place = { schemas: next.map((found) => found.schema), optional: next.every((found) => found.optional) };
  }
  return place;
}

/** Whether some string satisfies the schema's type. A schema that does not say is taken to allow strings. */
export function allowsType(root: JsonSchema, schema: JsonSchema, type: string, depth = 0): boolean {
  if (depth > MAX_DEPTH) return true;
  const target = resolve(root, schema);
  const { type: types, enum: values, anyOf, oneOf, allOf } = target;
  if (typeof types === 'string') return types === type;
  if (Array.isArray(types)) return types.includes(type);
  if (Array.isArray(values)) return values.some((value) => typeName(value) === type);
  if ('const' in target) return typeName(target.const) === type;
  const alternatives = asSchemas(anyOf).concat(asSchemas(oneOf));
  if (alternatives.length > 0) return alternatives.some((member) => allowsType(root, member, type, depth + 1));
  return asSchemas(allOf).every((member) => allowsType(root, member, type, depth + 1));
}

/** The schema that a local `$ref` names, or the schema itself. */
export function resolve(root: JsonSchema, schema: JsonSchema): JsonSchema {
  let target = schema;
  for (let hops = 0; hops < MAX_DEPTH && typeof target.$ref === 'string' && target.$ref.startsWith('#'); hops += 1) {
    const found = readPointer(root, decodeURIComponent(target.$ref.slice(1)));
    if (!isSchema(found)) return target;
    target = found;
  }
  return target;
}

/** JSON's name of a value's type; whole numbers are `integer`. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** The schemas in a list such as `anyOf`; none when it is absent. */
export function asSchemas(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

/** Whether a value is an object that can be a schema (boolean schemas are not used here). */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schema and its alternatives and parts, references followed. */
export function branches(root: JsonSchema, schema: JsonSchema, depth = 0): JsonSchema[] {
  if (depth > MAX_DEPTH) return [];
  const target = resolve(root, schema);
  const inner = [...asSchemas(target.anyOf), ...asSchemas(target.oneOf), ...asSchemas(target.allOf)];
  return [target, ...inner.flatMap((member) => branches(root, member, depth + 1))];
}

function step(schema: JsonSchema, token: string): { schema: JsonSchema; optional: boolean }[] {
  const { properties, required, items, prefixItems } = schema;
  if (isSchema(properties) && Object.hasOwn(properties, token) && isSchema(properties[token])) {
    const needed = Array.isArray(required) && required.includes(token);
    return [{ schema: properties[token], optional: !needed }];
  }
  if (!/^\d+$/.test(token)) return [];
  const member = asSchemas(prefixItems)[Number(token)] ?? (isSchema(items) ? items : undefined);
  return member === undefined ? [] : [{ schema: member, optional: false }];
}
