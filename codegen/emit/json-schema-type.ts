/** A TypeScript type for an argument that has no place of its own in `schema.d.ts`. */

import type { Schema } from '../model/types.ts';
import { jsonLiteral } from './literal.ts';

const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
  object: 'Record<string, unknown>',
};

/** As narrow as one line says it: literals of an `enum`, names of the `type`s, the items of an array; else `unknown`. */
export function toTypeScriptType(schema: Schema): string {
  const literals = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : [];
  if (literals.length > 0 && literals.every((value) => typeof value !== 'object' || value === null)) {
    return literals.map((value) => jsonLiteral(value)).join(' | ');
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const names = types.map((type) => (type === 'array' ? toArrayType(schema.items) : TYPES[String(type)]));
  return names.length > 0 && names.every((name) => name !== undefined) ? [...new Set(names)].join(' | ') : 'unknown';
}

function toArrayType(items: unknown): string {
  const known = typeof items === 'object' && items !== null && !Array.isArray(items);
  const item = known ? toTypeScriptType(items as Schema) : 'unknown';
  return item.includes(' ') ? `(${item})[]` : `${item}[]`;
}
