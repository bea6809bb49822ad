/** How the type of a request body can be indexed: decided from the descriptor, before any type exists. */

import type { Method } from '../model/types.ts';

type Json = Record<string, unknown>;

export interface BodyShape {
  /**
   * True: `Body['top_k']` names exactly the members of the descriptor. False: the body is a union, takes members that
   * it does not name, or may be null, and needs `BodyMember`.
   */
  readonly plain: boolean;
  /** True: a member somewhere in the body is `readOnly` or `writeOnly`, which openapi-typescript marks in the type. */
  readonly marked: boolean;
}

/** @param document The document that `schema.d.ts` was made from. */
export function toBodyShape(document: Json, path: string, method: Method, mediaType: string): BodyShape {
  const operation = member(document, member(document, member(document, document, 'paths'), path), method.toLowerCase());
  const body = member(document, operation, 'requestBody');
  const media = member(document, member(document, body, 'content'), mediaType);
  const schema = member(document, media, 'schema');
  return { plain: isPlain(document, schema, new Set()), marked: isMarked(document, schema, new Set()) };
}

function isPlain(document: Json, schema: Json, seen: Set<Json>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  const loose =
    'anyOf' in schema ||
    'oneOf' in schema ||
    'not' in schema ||
    'patternProperties' in schema ||
    'propertyNames' in schema ||
    'unevaluatedProperties' in schema ||
    schema.nullable === true ||
    Array.isArray(schema.type) ||
    (schema.additionalProperties !== undefined && schema.additionalProperties !== false);
  if (loose) return false;
  const parts = Array.isArray(schema.allOf) ? schema.allOf : [];
  if (!('properties' in schema) && parts.length === 0) return false;
  return parts.every((_, index) => isPlain(document, member(document, parts as unknown as Json, String(index)), seen));
}

function isMarked(document: Json, value: unknown, seen: Set<unknown>): boolean {
  if (typeof value !== 'object' || value === null || seen.has(value)) return false;
  seen.add(value);
  const object = value as Json;
  if (object.readOnly === true || object.writeOnly === true) return true;
  if (typeof object.$ref === 'string') return isMarked(document, resolve(document, object), seen);
  return Object.values(object).some((part) => isMarked(document, part, seen));
}

function member(document: Json, owner: Json, key: string): Json {
  const value = owner[key];
  return typeof value === 'object' && value !== null ? resolve(document, value as Json) : {};
}

/** Follows local references; every other value is returned as it is. */
export function resolve(document: Json, value: Json): Json {
  let node = value;
  for (let steps = 0; typeof node.$ref === 'string' && steps < 20; steps++) {
    const parts = node.$ref.replace(/^#\/?/, '').split('/');
    let target: unknown = document;
    for (const part of parts) {
      target = (target as Json | undefined)?.[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')];
    }
    node = typeof target === 'object' && target !== null ? (target as Json) : {};
  }
  return node;
}
