/** The type of an argument in one line of TypeScript, for `TOOLS.md`. */

import { toRecord } from '../json.ts';
import type { Schema } from '../model/types.ts';
import { jsonLiteral } from './literal.ts';

const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** Functions that write the parts of a type. */
interface TypeWriter {
  /** The type of an object. Default: `Record<string, unknown>`. */
  object?(schema: Schema): string;
  /** The type of an alternative or an item. Default: written like the whole type. */
  part?(schema: Schema): string;
}

/**
 * As narrow as one line allows: literals of an `enum`, names of the `type`s, the items of an array, alternatives; else
 * `unknown`.
 */
export function toTypeScriptType(schema: Schema, writer: TypeWriter = {}): string {
  const literals = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : [];
  if (literals.length > 0 && literals.every((value) => typeof value !== 'object' || value === null)) {
    return literals.map((value) => jsonLiteral(value)).join(' | ');
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (schema.type === undefined && Array.isArray(alternatives)) {
    return toUnion(alternatives.map((alternative) => toPart(alternative, writer)));
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return toUnion(
    types.map((type) => {
      if (type === 'array') return toArrayType(schema.items, writer);
      if (type === 'object') return writer.object?.(schema) ?? 'Record<string, unknown>';
      return TYPES[String(type)];
    }),
  );
}

function toUnion(names: readonly (string | undefined)[]): string {
  const types = names.filter((name) => name !== undefined && name !== 'unknown');
  return types.length > 0 && types.length === names.length ? [...new Set(types)].join(' | ') : 'unknown';
}

function toArrayType(items: unknown, writer: TypeWriter): string {
  const item = toPart(items, writer);
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
}

function toPart(part: unknown, writer: TypeWriter): string {
  const schema = toRecord(part);
  return writer.part?.(schema) ?? toTypeScriptType(schema, writer);
}
