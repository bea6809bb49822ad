/** Finds the members and types that a schema of the descriptor allows, through references and combinations. */

import { isObject, type JsonObject, readPointer } from '../json.ts';
import type { SandboxDescriptor } from './operations.ts';

const MAX_DEPTH = 8;

/** The schema itself and every schema that it refers to or combines. */
function partsOf(schema: unknown, descriptor: SandboxDescriptor, depth = 0): JsonObject[] {
  if (!isObject(schema) || depth > MAX_DEPTH) return [];
  const { $ref, allOf, anyOf, oneOf } = schema;
  const target =
    typeof $ref === 'string' ? readPointer(descriptor.schemas.request, $ref.slice($ref.indexOf('#'))) : undefined;
  const inner = [target, allOf, anyOf, oneOf].flat().flatMap((part) => partsOf(part, descriptor, depth + 1));
  return [schema, ...inner];
}

/** Schemas by member; if several parts describe a member, their schemas combined. */
export function memberSchemas(schema: unknown, descriptor: SandboxDescriptor): [name: string, schema: JsonObject][] {
  const members = new Map<string, JsonObject>();
  for (const { properties } of partsOf(schema, descriptor)) {
    for (const [name, member] of Object.entries(isObject(properties) ? properties : {})) {
      const known = members.get(name);
      members.set(name, known === undefined ? (member as JsonObject) : { anyOf: [known, member] });
    }
  }
  return [...members];
}

/** The types that a value may have: `string`, `array`, ... */
export function shapesOf(schema: unknown, descriptor: SandboxDescriptor): ReadonlySet<string> {
  const types = partsOf(schema, descriptor).flatMap(({ type, properties }) => [
    ...[type].flat().filter((name) => typeof name === 'string'),
    ...(type === undefined && isObject(properties) ? ['object'] : []),
  ]);
  return new Set(types);
}

/** The types that the items of an array may have. */
export function itemShapesOf(schema: unknown, descriptor: SandboxDescriptor): ReadonlySet<string> {
  return new Set(partsOf(schema, descriptor).flatMap(({ items }) => [...shapesOf(items, descriptor)]));
}

/** Whether the member is a file: raw bytes, not encoded text. */
export function isFileSchema(schema: unknown, descriptor: SandboxDescriptor): boolean {
  return partsOf(schema, descriptor).some(({ format, items, contentMediaType, contentEncoding }) => {
    if (format === 'binary') return true;
    if (typeof contentMediaType === 'string' && contentEncoding === undefined) {
      return !/^text\/|json|xml/.test(contentMediaType);
    }
    return items !== undefined && isFileSchema(items, descriptor);
  });
}
