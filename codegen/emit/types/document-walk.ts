/** Distinguishes keywords of a descriptor from names that its author chose, during a walk over the document. */

/**
 * A node has keywords, a map has names that the author chose, and an opaque value (an example, for instance) has
 * neither.
 */
export type Kind = 'node' | 'map' | 'opaque';

const MAPS = new Set([
  'additionalOperations',
  'callbacks',
  'content',
  'definitions',
  '$defs',
  'dependentSchemas',
  'encoding',
  'headers',
  'links',
  'mapping',
  'mediaTypes',
  'parameters',
  'pathItems',
  'paths',
  'patternProperties',
  'properties',
  'requestBodies',
  'responses',
  'schemas',
  'scopes',
  'securitySchemes',
  'variables',
  'webhooks',
]);

const OPAQUE = new Set(['const', 'default', 'enum', 'dataValue', 'example', 'examples', 'serializedValue', 'value']);

/** The kind of a member of a value of this kind. Items of arrays keep the kind of their array. */
export function kindOfMember(kind: Kind, key: string, value: unknown): Kind {
  if (kind === 'opaque') return 'opaque';
  if (kind === 'map') return 'node';
  if (OPAQUE.has(key) || key.startsWith('x-')) return 'opaque';
  return MAPS.has(key) && !Array.isArray(value) ? 'map' : 'node';
}

/** Sets an own member. `__proto__` is defined, because assignment would set the prototype. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A node of a document. */
export type Json = Record<string, unknown>;

/** The node, or an empty one for a value that is not an object, so that members can be read safely. */
export function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
