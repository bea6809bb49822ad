/** JSON types as sets: the types that one schema accepts and another does not. */

import { jsonTypeOf } from '../../json.ts';
import type { Schema } from '../types.ts';

type TypeChange = 'same' | 'widened' | 'narrowed' | 'changed';

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

function typesOf(type: unknown): ReadonlySet<string> {
  const types = type === undefined ? ALL : Array.isArray(type) ? type.map(String) : [String(type)];
  return new Set(types.includes('number') ? [...types, 'integer'] : types);
}
