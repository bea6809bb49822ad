/**
 * Finds `oneOf` lists whose alternatives overlap: a value that matches two of them would be rejected against the
 * author's intent.
 */

import type { Schema } from '../../model/types.ts';
import { mergeAllOf } from './merge.ts';
import { type Resolve, requiredOf, typesOf } from './readers.ts';

const SCALAR_LIMITS = (
  'enum const format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum ' +
  'multipleOf not allOf anyOf oneOf'
).split(' ');

/** Keywords by which two alternatives of one structured type may exclude each other. */
const OBJECT_LIMITS = ['required', 'minProperties', 'not', 'anyOf', 'oneOf', 'if', 'dependentRequired'] as const;
const ARRAY_LIMITS = ['minItems', 'contains', 'not', 'anyOf', 'oneOf'] as const;

/** True if `keyword` is `oneOf` and some value, such as `[]` or `{}`, clearly satisfies two alternatives. */
export function haveOverlap(keyword: 'anyOf' | 'oneOf', variants: readonly Schema[], resolve: Resolve): boolean {
  if (keyword === 'anyOf') return false;
  const merged = variants
    .map((variant) => mergeAllOf(variant, resolve))
    .map(({ schema, leftovers }) => (leftovers.length === 0 ? schema : { ...schema, not: {} }));
  return merged.some((left, index) => merged.slice(index + 1).some((right) => overlap(left, right)));
}

function overlap(left: Schema, right: Schema): boolean {
  const rightTypes = typesOf(right);
  return typesOf(left).some((type) => {
    if (type === 'object')
      return rightTypes.includes(type) && isFree(left, OBJECT_LIMITS) && isFree(right, OBJECT_LIMITS);
    if (type === 'array') return rightTypes.includes(type) && isFree(left, ARRAY_LIMITS) && isFree(right, ARRAY_LIMITS);
    const shares = rightTypes.includes(type) || (isNumeric(type) && rightTypes.some(isNumeric));
    return shares && (isFree(left, SCALAR_LIMITS) || isFree(right, SCALAR_LIMITS));
  });
}

function isNumeric(type: string): boolean {
  return type === 'number' || type === 'integer';
}

function isFree(schema: Schema, limits: readonly string[]): boolean {
  return limits.every(
    (keyword) => schema[keyword] === undefined || (keyword === 'required' && requiredOf(schema).length === 0),
  );
}
