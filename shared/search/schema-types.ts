/** The types that a schema allows, following its local references. */

/** A JSON schema that is an object. */
export type JsonSchema = { readonly [keyword: string]: unknown };

const MAX_HOPS = 32;

/** Splits a pointer into unescaped tokens; the empty pointer has none. */
export function parsePointer(pointer: string): string[] {
  if (pointer === '') return [];
  const tokens = pointer.slice(1).split('/');
  return pointer.includes('~') ? tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')) : tokens;
}

/** The value that a pointer names, or undefined if there is none. Own members only. */
export function readPointer(document: unknown, pointer: string): unknown {
  let value = document;
  for (const token of parsePointer(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined;
    value = (value as Record<string, unknown>)[token];
  }
  return value;
}

/**
 * True if the schema's type keywords allow some value of a type. A schema without any allows it.
 *
 * @param visited Results of schemas that were already visited: each is visited once, and a recursive one allows the
 * type.
 */
export function allowsType(
  root: JsonSchema,
  schema: JsonSchema,
  type: string,
  visited?: Map<JsonSchema, boolean>,
): boolean {
  const target = resolve(root, schema);
  const { type: types, enum: values, anyOf, oneOf, allOf } = target;
  if (typeof types === 'string') return types === type;
  if (Array.isArray(types)) return types.includes(type);
  if (Array.isArray(values)) return values.some((value) => typeName(value) === type);
  if ('const' in target) return typeName(target.const) === type;
  if (anyOf === undefined && oneOf === undefined && allOf === undefined) return true;
  const visitedResult = visited?.get(target);
  if (visitedResult !== undefined) return visitedResult;
  const results = (visited ?? new Map<JsonSchema, boolean>()).set(target, true);
  const allows = (member: JsonSchema) => allowsType(root, member, type, results);
  const alternatives = asSchemas(anyOf).concat(asSchemas(oneOf));
  const result = alternatives.length > 0 ? alternatives.some(allows) : asSchemas(allOf).every(allows);
  results.set(target, result);
  return result;
}

/** The schema that a local `$ref` names, or the schema itself. */
export function resolve(root: JsonSchema, schema: JsonSchema): JsonSchema {
  let target = schema;
  for (let hops = 0; hops < MAX_HOPS && typeof target.$ref === 'string' && target.$ref.startsWith('#'); hops += 1) {
    const referenced = readPointer(root, decodeURIComponent(target.$ref.slice(1)));
    if (!isSchema(referenced)) return target;
    target = referenced;
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

/** The schemas in a list such as `anyOf`; empty if it is absent. */
export function asSchemas(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

/** True for an object that can be a schema (boolean schemas are not used here). */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
