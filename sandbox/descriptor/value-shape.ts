/** The shape of a value according to its schema, as deep as a decoder reads it. */

import { isObject, type JsonObject } from '../json.ts';

type Shape = 'primitive' | 'array' | 'object';

/** Evaluated lazily, because schemas may be circular. */
export interface ValueShape {
  readonly kind: Shape;
  items(): ValueShape;
  member(name: string): ValueShape;
}

type Resolve = (value: unknown) => JsonObject;

const MAX_DEPTH = 8;
/** The shape of a value without a schema. */
const UNKNOWN: ValueShape = { kind: 'primitive', items: () => UNKNOWN, member: () => UNKNOWN };

export function createValueShape(schema: unknown, resolve: Resolve): ValueShape {
  if (!isObject(schema)) return UNKNOWN;
  const find = (read: (part: JsonObject) => unknown): unknown =>
    partsOf(schema, resolve)
      .map(read)
      .find((found) => found !== undefined);
  return {
    kind: kindOf(schema, resolve),
    items: () =>
      createValueShape(
        find((part) => part.items),
        resolve,
      ),
    member: (name) =>
      createValueShape(
        find((part) => {
          const { properties, additionalProperties } = part;
          return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
        }),
        resolve,
      ),
  };
}

function kindOf(schema: JsonObject, resolve: Resolve): Shape {
  const kinds = partsOf(schema, resolve).map((part): Shape => {
    const types = [part.type].flat();
    if (types.includes('array')) return 'array';
    return types.includes('object') || isObject(part.properties) ? 'object' : 'primitive';
  });
  return kinds.find((kind) => kind !== 'primitive') ?? 'primitive';
}

/** The schema and its branches, each resolved. */
function partsOf(schema: JsonObject, resolve: Resolve, depth = 0): JsonObject[] {
  const resolved = resolve(schema);
  const branches = [resolved.allOf, resolved.oneOf, resolved.anyOf].flat().filter(isObject);
  if (depth > MAX_DEPTH) return [resolved];
  return [resolved, ...branches.flatMap((branch) => partsOf(branch, resolve, depth + 1))];
}
