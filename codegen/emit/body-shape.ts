/** How the type of a request body can be indexed: decided from the descriptor, before any type exists. */

import type { Method } from '../model/types.ts';
import { type Json, toObject } from './document-walk.ts';
import { resolveReference } from './shallow-references.ts';

export interface BodyShape {
  /**
   * True: `Body['top_k']` names exactly the members of the descriptor. False: the body is a union, takes members that
   * it does not name, or may be null, and needs `BodyMember`.
   */
  readonly plain: boolean;
  /** True: a member somewhere in the body is `readOnly` or `writeOnly`, which openapi-typescript marks in the type. */
  readonly marked: boolean;
  /** Members that the body, or an alternative of it, declares; sorted. */
  readonly names: readonly string[];
  /** True: the type of the body demands a member. */
  readonly demands: boolean;
}

/** @param document The document that `schema.d.ts` was made from. */
export function toBodyShape(document: Json, path: string, method: Method, mediaType: string): BodyShape {
  const operation = member(document, member(document, member(document, document, 'paths'), path), method.toLowerCase());
  const body = member(document, operation, 'requestBody');
  const media = member(document, member(document, body, 'content'), mediaType);
  const schema = member(document, media, 'schema');
  return {
    plain: isPlain(document, schema, new Set()),
    marked: isMarked(document, schema, new Set()),
    names: memberNames(document, schema),
    demands: demandsMember(document, schema, new Set()),
  };
}

/**
 * Names of the members that an object schema or its alternatives declare, sorted.
 *
 * @param root What local references of the schema lead into.
 */
export function memberNames(root: Json, schema: unknown): string[] {
  const names = new Set<string>();
  collectNames(root, schema, names, new Set());
  return [...names].sort();
}

function collectNames(root: Json, value: unknown, names: Set<string>, seen: Set<unknown>): void {
  const schema = toObject(resolveReference(root, value));
  if (seen.has(schema)) return;
  seen.add(schema);
  for (const name of Object.keys(toObject(schema.properties))) names.add(name);
  for (const key of ['allOf', 'anyOf', 'oneOf']) {
    const parts = schema[key];
    if (Array.isArray(parts)) for (const part of parts) collectNames(root, part, names, seen);
  }
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
  return parts.every((_, index) => isPlain(document, toObject(resolveReference(document, parts[index])), seen));
}

function demandsMember(document: Json, schema: Json, seen: Set<Json>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (Array.isArray(schema.required) && schema.required.length > 0) return true;
  const parts = Array.isArray(schema.allOf) ? schema.allOf : [];
  return parts.some((part) => demandsMember(document, toObject(resolveReference(document, part)), seen));
}

function isMarked(document: Json, value: unknown, seen: Set<unknown>): boolean {
  if (typeof value !== 'object' || value === null || seen.has(value)) return false;
  seen.add(value);
  const object = value as Json;
  if (object.readOnly === true || object.writeOnly === true) return true;
  if (typeof object.$ref === 'string') return isMarked(document, resolveReference(document, object), seen);
  return Object.values(object).some((part) => isMarked(document, part, seen));
}

function member(document: Json, owner: unknown, key: string): Json {
  return toObject(resolveReference(document, toObject(owner)[key]));
}
