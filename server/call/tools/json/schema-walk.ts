/** Finds what a schema says about one place of a value. */

import { asSchemas, isSchema, resolve } from '../../../../shared/search/schema-types.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import { parsePointer } from './pointer.ts';

export { allowsType, asSchemas, isSchema, resolve, typeName } from '../../../../shared/search/schema-types.ts';

/** What a schema says about one place. */
export interface SchemaPlace {
  /** All schemas that apply to the place; several with alternatives or `allOf`. */
  readonly schemas: readonly JsonSchema[];
  /** Whether the enclosing object does not require the place. False for array elements. */
  readonly optional: boolean;
}

const MAX_DEPTH = 32;

/**
 * Follows a pointer through `properties`, `items` and `prefixItems`.
 *
 * @returns null if the place is not declared: inside a free-form object, or unknown to its object.
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

/** The schema with its alternatives and `allOf` parts, references resolved. */
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
