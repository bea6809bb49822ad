/** The keywords that survive normalisation, and the shape of their values. */

export type KeywordShape =
  | 'reference'
  | 'schema'
  | 'schemas'
  | 'schemaMap'
  | 'any'
  | 'values'
  | 'text'
  | 'number'
  | 'bound'
  | 'positive'
  | 'count'
  | 'flag'
  | 'true'
  | 'names'
  | 'nameMap'
  | 'type'
  | 'examples';

/**
 * JSON Schema 2020-12 without keywords that only identify, comment or extend: a keyword that is not listed is dropped.
 */
export const KEYWORDS: ReadonlyMap<string, KeywordShape> = new Map<string, KeywordShape>([
  ['$ref', 'reference'],
  ['title', 'text'],
  ['description', 'text'],
  ['type', 'type'],
  ['format', 'text'],
  ['enum', 'values'],
  ['const', 'any'],
  ['default', 'any'],
  ['examples', 'examples'],
  ['deprecated', 'true'],
  ['readOnly', 'true'],
  ['writeOnly', 'true'],
  ['minLength', 'count'],
  ['maxLength', 'count'],
  ['pattern', 'text'],
  ['contentEncoding', 'text'],
  ['contentMediaType', 'text'],
  ['contentSchema', 'schema'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['exclusiveMinimum', 'bound'],
  ['exclusiveMaximum', 'bound'],
  ['multipleOf', 'positive'],
  ['items', 'schema'],
  ['prefixItems', 'schemas'],
  ['contains', 'schema'],
  ['minItems', 'count'],
  ['maxItems', 'count'],
  ['minContains', 'count'],
  ['maxContains', 'count'],
  ['uniqueItems', 'true'],
  ['unevaluatedItems', 'schema'],
  ['properties', 'schemaMap'],
  ['patternProperties', 'schemaMap'],
  ['additionalProperties', 'schema'],
  ['unevaluatedProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['required', 'names'],
  ['minProperties', 'count'],
  ['maxProperties', 'count'],
  ['dependentRequired', 'nameMap'],
  ['dependentSchemas', 'schemaMap'],
  ['allOf', 'schemas'],
  ['anyOf', 'schemas'],
  ['oneOf', 'schemas'],
  ['not', 'schema'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
  ['$defs', 'schemaMap'],
]);

const TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

/** `value` undefined: valid, but left out because it has no effect. */
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
    case 'flag':
      return validIf(typeof value === 'boolean', value);
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
