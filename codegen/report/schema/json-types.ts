/** JSON types as sets: the types that one schema accepts and another does not. */

import { isRecord, jsonTypeOf } from '../../json.ts';
import type { Schema } from '../types.ts';
import { resolve } from './shape.ts';

type TypeChange = 'same' | 'widened' | 'narrowed' | 'changed';

/** Alternatives within alternatives, which may be cycles of references. */
const MAX_DEPTH = 5;
const ALL = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Compares two `type` keywords. No `type` means any type; every integer is a number. */
export function compareTypes(before: unknown, after: unknown): TypeChange {
  const [old, now] = [typesOf(before), typesOf(after)];
  const lost = [...old].some((type) => !now.has(type));
  const gained = [...now].some((type) => !old.has(type));
  if (lost && gained) return 'changed';
  if (lost) return 'narrowed';
  return gained ? 'widened' : 'same';
}

/** The `type` keyword; if there is none, the types of the allowed values, or undefined if any value is allowed. */
export function typeOf({ type, enum: values, const: value }: Schema): unknown {
  if (type !== undefined) return type;
  if (Array.isArray(values)) return [...new Set(values.map(jsonTypeOf))];
  return value === undefined ? undefined : jsonTypeOf(value);
}

/** The `type` keyword, or what alternatives, members or items imply, which leave open whether null is allowed. */
export function impliedTypeOf(schema: Schema, root: Schema, depth = 0): unknown {
  const stated = typeOf(schema);
  if (stated !== undefined || depth > MAX_DEPTH) return stated;
  const list = [schema.anyOf, schema.oneOf].flatMap((value) => (Array.isArray(value) ? (value as Schema[]) : []));
  const types = list.map((one) => impliedTypeOf(resolve(one, root).schema, root, depth + 1));
  if (types.length > 0) return types.includes(undefined) ? undefined : [...new Set(types.flat())];
  if (isRecord(schema.properties) || isRecord(schema.additionalProperties)) return 'object';
  return isRecord(schema.items) ? 'array' : undefined;
}

/** `['object', 'null']` -> `['object']`. */
export function withoutNull(type: unknown): unknown {
  return type === undefined ? undefined : [type].flat().filter((one) => one !== 'null');
}

function typesOf(type: unknown): ReadonlySet<string> {
  const types = type === undefined ? ALL : Array.isArray(type) ? type.map(String) : [String(type)];
  return new Set(types.includes('number') ? [...types, 'integer'] : types);
}
