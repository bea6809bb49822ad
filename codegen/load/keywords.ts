/** The keywords of OpenAPI and JSON Schema by what they hold, for every walk over a descriptor or a schema. */

import { wordSet } from '../word-set.ts';

/** Keywords whose value is one schema. */
export const SCHEMA_KEYWORDS = [
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
] as const;

/** Keywords whose value is a list of schemas. */
export const SCHEMA_LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;

/** Keywords whose value is an object of schemas. */
export const SCHEMA_MAP_KEYWORDS = ['properties', 'patternProperties', 'dependentSchemas'] as const;

/** By keyword: whether it holds one schema, a list or a map of them. */
export const KEYWORD_FORMS: ReadonlyMap<string, 'one' | 'list' | 'map'> = new Map([
  ...SCHEMA_KEYWORDS.map((keyword) => [keyword, 'one'] as const),
  ...SCHEMA_LIST_KEYWORDS.map((keyword) => [keyword, 'list'] as const),
  ...SCHEMA_MAP_KEYWORDS.map((keyword) => [keyword, 'map'] as const),
]);

/** Keywords of OpenAPI objects, and older ones of JSON Schema, that hold schemas, one or several. */
const OTHER_SCHEMA_HOLDERS = '$defs contentSchema defaultMapping definitions itemSchema mapping schema schemas'.split(
  ' ',
);

/** A section of `components` in which content of other files gets a name. */
export type ComponentKind = 'examples' | 'headers' | 'parameters' | 'requestBodies' | 'responses' | 'schemas';

/** By keyword: the kind of the components that it holds. */
export const COMPONENT_KINDS: ReadonlyMap<string, ComponentKind> = new Map<string, ComponentKind>([
  ...[...KEYWORD_FORMS.keys(), ...OTHER_SCHEMA_HOLDERS].map((keyword) => [keyword, 'schemas'] as const),
  ['examples', 'examples'],
  ['headers', 'headers'],
  ['parameters', 'parameters'],
  ['requestBodies', 'requestBodies'],
  ['requestBody', 'requestBodies'],
  ['responses', 'responses'],
]);

/**
 * A node has keywords, a map has names that the author chose, and an opaque value (a default, for instance) has
 * neither.
 */
export type Kind = 'node' | 'map' | 'opaque';

const MAPS: ReadonlySet<string> = new Set([
  ...SCHEMA_MAP_KEYWORDS,
  ...'$defs additionalOperations callbacks content definitions encoding headers links mapping mediaTypes'.split(' '),
  ...'parameters pathItems paths requestBodies responses schemas scopes securitySchemes variables webhooks'.split(' '),
]);

const OPAQUE = wordSet('const default enum dataValue example examples serializedValue value');

/** The kind of a member of a value of this kind. Items of arrays keep the kind of their array. */
export function kindOfMember(kind: Kind, key: string, value: unknown): Kind {
  if (kind === 'opaque') return 'opaque';
  if (kind === 'map') return 'node';
  if (OPAQUE.has(key) || key.startsWith('x-')) return 'opaque';
  return MAPS.has(key) && !Array.isArray(value) ? 'map' : 'node';
}
