/** Adds null to schemas and removes it. */

import type { Schema } from '../../model/types.ts';
import { mergeAllOf } from './merge.ts';
import { type Resolve, schemaList, typesOf } from './readers.ts';

/** True for `{type: 'null'}`. */
export function isNull(schema: Schema): boolean {
  const types = typesOf(schema);
  return types.length === 1 && types[0] === 'null';
}

/** The schema that also accepts null, if it states its types. */
export function withNull(schema: Schema): Schema {
  const types = typesOf(schema);
  if (types.length === 0 || types.includes('null')) return schema;
  const values = schema.enum;
  const result = { ...schema, type: [...types, 'null'] };
  return Array.isArray(values) && !values.includes(null) ? { ...result, enum: [...values, null] } : result;
}

const MAX_NULL_DEPTH = 4;

/** The schema of a value that is never sent as null. */
export function withoutNull(schema: Schema, resolve: Resolve, depth = 0): Schema {
  if (depth > MAX_NULL_DEPTH) return schema;
  const { schema: merged, leftovers } = mergeAllOf(schema, resolve);
  const types = typesOf(merged).filter((type) => type !== 'null');
  const values = merged.enum;
  const cut: Record<string, unknown> = { ...merged };
  if (types.length > 0) cut.type = toTypeKeyword(types);
  if (Array.isArray(values)) cut.enum = values.filter((value) => value !== null);
  if (leftovers.length > 0) cut.allOf = leftovers;
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const variants = schemaList(merged, keyword).filter((variant) => !isNull(variant));
    if (variants.length > 0)
      cut[keyword] = variants.length === 1 ? variants : variants.map((v) => withoutNull(v, resolve, depth + 1));
  }
  return cut;
}

/** `type` for a list of types: `null` last, a single type as a string, and no `integer` next to `number`. */
export function toTypeKeyword(types: readonly string[]): string | readonly string[] {
  const wide = types.includes('number') ? types.filter((type) => type !== 'integer') : types;
  const ordered = [...wide.filter((type) => type !== 'null'), ...wide.filter((type) => type === 'null')];
  return ordered.length === 1 ? (ordered[0] ?? ordered) : ordered;
}
