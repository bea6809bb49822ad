/** The keywords that survive normalisation, and the shape of their values. */

import { SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from '../load/keywords.ts';
import { wordSet } from '../word-set.ts';

/**
 * JSON Schema 2020-12 by the shape of the values, without keywords that only identify, comment or extend: a keyword that
 * is not listed is dropped.
 */
const BY_SHAPE = {
  reference: ['$ref'],
  schema: [...SCHEMA_KEYWORDS, 'contentSchema'],
  schemas: SCHEMA_LIST_KEYWORDS,
  schemaMap: [...SCHEMA_MAP_KEYWORDS, '$defs'],
  any: ['const', 'default'],
  values: ['enum'],
  text: ['title', 'description', 'format', 'pattern', 'contentEncoding', 'contentMediaType'],
  number: ['minimum', 'maximum'],
  bound: ['exclusiveMinimum', 'exclusiveMaximum'],
  positive: ['multipleOf'],
  count: 'minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties'.split(' '),
  true: ['deprecated', 'readOnly', 'writeOnly', 'uniqueItems'],
  names: ['required'],
  nameMap: ['dependentRequired'],
  type: ['type'],
  examples: ['examples'],
} as const satisfies Record<string, readonly string[]>;

export type KeywordShape = keyof typeof BY_SHAPE;

export const KEYWORDS: ReadonlyMap<string, KeywordShape> = new Map(
  Object.entries(BY_SHAPE).flatMap(([shape, keywords]) =>
    keywords.map((keyword) => [keyword, shape as KeywordShape] as const),
  ),
);

const TYPES = wordSet('array boolean integer null number object string');

/** A keyword whose `value` is undefined is valid, but left out because it has no effect. */
type Scalar = { readonly isValid: true; readonly value: unknown } | { readonly isValid: false };

const INVALID: Scalar = { isValid: false };

/** Checks the value of a keyword that holds no schemas. Duplicate names and types are removed. */
export function toScalar(shape: KeywordShape, value: unknown): Scalar {
  switch (shape) {
    case 'text':
      return validIf(typeof value === 'string', value);
    case 'number':
      return validIf(typeof value === 'number', value);
    case 'bound':
      if (typeof value === 'boolean') return { isValid: true, value: undefined };
      return validIf(typeof value === 'number', value);
    case 'positive':
      return validIf(typeof value === 'number' && value > 0, value);
    case 'count':
      return validIf(Number.isInteger(value) && Number(value) >= 0, value);
    case 'true':
      return validIf(typeof value === 'boolean', value === true ? true : undefined);
    case 'values':
      return validIf(Array.isArray(value), value);
    case 'names':
      return isNames(value) ? { isValid: true, value: value.length === 0 ? undefined : [...new Set(value)] } : INVALID;
    case 'nameMap':
      return validIf(value !== null && typeof value === 'object' && Object.values(value).every(isNames), value);
    case 'type':
      return toType(value);
    case 'examples':
      return { isValid: true, value: Array.isArray(value) && value.length > 0 ? value : undefined };
    default:
      return { isValid: true, value };
  }
}

function validIf(isValid: boolean, value: unknown): Scalar {
  return isValid ? { isValid, value } : INVALID;
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

function toType(value: unknown): Scalar {
  const types = [...new Set(Array.isArray(value) ? value : [value])];
  if (types.length === 0 || !types.every((type) => TYPES.has(type))) return INVALID;
  return { isValid: true, value: types.length === 1 ? types[0] : types };
}
