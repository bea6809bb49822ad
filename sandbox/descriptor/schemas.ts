/**
 * Schemas of a descriptor: as JSON Schema 2020-12, so that one validator handles OpenAPI 3.0 and 3.1; and what they allow, through
 * references and combinations.
 */

import { isObject, type JsonObject, readPointer } from '../json.ts';

/** The direction that the schemas check: `readOnly` is never required in a request, `writeOnly` never in an answer. */
export type Direction = 'request' | 'response';

/** The documents that renamed references (`request#/components/…`) point into. */
export interface DescriptorSchemas {
  readonly schemas: Readonly<Record<Direction, JsonObject>>;
}

/** References and combinations that are followed at most. */
const MAX_DEPTH = 8;

/** Members that contain values, not schemas; they are copied as they are. */
const VALUE_KEYWORDS = new Set(['example', 'examples', 'default', 'enum', 'const', 'value']);

/**
 * Copies a bundled descriptor with every local reference `#/x` renamed to `<direction>#/x` and the keywords of
 * OpenAPI 3.0 (`nullable`, boolean `exclusiveMinimum`, `example`) replaced by their 2020-12 form. In OpenAPI 3.0,
 * keywords next to a reference are ignored, except `nullable`.
 */
export function buildSchemaDocument(document: JsonObject, direction: Direction): JsonObject {
  const version3 = String(document.openapi).startsWith('3.0');
  return convert(document, '') as JsonObject;

  function convert(value: unknown, key: string): unknown {
    if (VALUE_KEYWORDS.has(key) && !isObject(value)) return structuredClone(value);
    if (Array.isArray(value)) return value.map((item) => convert(item, ''));
    if (!isObject(value)) return value;
    const copy: JsonObject = {};
    for (const [name, member] of Object.entries(value)) copy[name] = convert(member, name);
    if (typeof copy.$ref === 'string' && copy.$ref.startsWith('#')) copy.$ref = `${direction}${copy.$ref}`;
    if (Array.isArray(copy.required)) copy.required = copy.required.filter((name) => isRequired(value, name));
    return version3 ? toDraft2020(copy) : copy;
  }

  function isRequired(schema: JsonObject, name: unknown): boolean {
    const properties = schema.properties;
    let property = isObject(properties) ? properties[String(name)] : undefined;
    if (isObject(property) && typeof property.$ref === 'string')
      property = readPointer(document, property.$ref.slice(1));
    if (!isObject(property)) return true;
    return property[direction === 'request' ? 'readOnly' : 'writeOnly'] !== true;
  }
}

function toDraft2020(schema: JsonObject): JsonObject {
  for (const bound of ['Minimum', 'Maximum']) {
    const exclusive = `exclusive${bound}`;
    const inclusive = bound.toLowerCase();
    if (schema[exclusive] === true) {
      schema[exclusive] = schema[inclusive];
      delete schema[inclusive];
    } else if (schema[exclusive] === false) delete schema[exclusive];
  }
  if (typeof schema.$ref === 'string' && ('type' in schema || 'nullable' in schema)) {
    const reference = { $ref: schema.$ref };
    return schema.nullable === true ? { anyOf: [reference, { type: 'null' }] } : reference;
  }
  if (schema.nullable !== true) return schema;
  const { nullable: _, ...rest } = schema;
  if (typeof rest.type !== 'string') return { anyOf: [rest, { type: 'null' }] };
  const allowed = rest.enum;
  return {
    ...rest,
    type: [rest.type, 'null'],
    ...(Array.isArray(allowed) && !allowed.includes(null) ? { enum: [...allowed, null] } : {}),
  };
}

/** The schema itself and every schema that it refers to or combines. */
function subschemasOf(schema: unknown, descriptor: DescriptorSchemas, depth = 0): JsonObject[] {
  if (!isObject(schema) || depth > MAX_DEPTH) return [];
  const { $ref, allOf, anyOf, oneOf } = schema;
  const target =
    typeof $ref === 'string' ? readPointer(descriptor.schemas.request, $ref.slice($ref.indexOf('#'))) : undefined;
  const inner = [target, allOf, anyOf, oneOf].flat().flatMap((part) => subschemasOf(part, descriptor, depth + 1));
  return [schema, ...inner];
}

/** Schemas by member; if several parts describe a member, their schemas combined. */
export function memberSchemas(schema: unknown, descriptor: DescriptorSchemas): [name: string, schema: JsonObject][] {
  const members = new Map<string, JsonObject>();
  for (const { properties } of subschemasOf(schema, descriptor)) {
    for (const [name, member] of Object.entries(isObject(properties) ? properties : {})) {
      const existing = members.get(name);
      members.set(name, existing === undefined ? (member as JsonObject) : { anyOf: [existing, member] });
    }
  }
  return [...members];
}

/** The types that a value may have: `string`, `array`, ... */
export function shapesOf(schema: unknown, descriptor: DescriptorSchemas): ReadonlySet<string> {
  const types = subschemasOf(schema, descriptor).flatMap(({ type, properties }) => [
    ...[type].flat().filter((name) => typeof name === 'string'),
    ...(type === undefined && isObject(properties) ? ['object'] : []),
  ]);
  return new Set(types);
}

/** The types that the items of an array may have. */
export function itemShapesOf(schema: unknown, descriptor: DescriptorSchemas): ReadonlySet<string> {
  return new Set(subschemasOf(schema, descriptor).flatMap(({ items }) => [...shapesOf(items, descriptor)]));
}

/** Returns true if the member is a file: raw bytes, not encoded text. */
export function isFileSchema(schema: unknown, descriptor: DescriptorSchemas): boolean {
  return subschemasOf(schema, descriptor).some(({ format, items, contentMediaType, contentEncoding }) => {
    if (format === 'binary') return true;
    if (typeof contentMediaType === 'string' && contentEncoding === undefined) {
      return !/^text\/|json|xml/.test(contentMediaType);
    }
    return items !== undefined && isFileSchema(items, descriptor);
  });
}

type Shape = 'primitive' | 'array' | 'object';

/** Evaluated lazily, because schemas may be circular. */
export interface ValueShape {
  readonly kind: Shape;
  items(): ValueShape;
  member(name: string): ValueShape;
}

type Resolve = (value: unknown) => JsonObject;

/** The shape of a value without a schema. */
const UNKNOWN: ValueShape = { kind: 'primitive', items: () => UNKNOWN, member: () => UNKNOWN };

export function createValueShape(schema: unknown, resolve: Resolve): ValueShape {
  if (!isObject(schema)) return UNKNOWN;
  const find = (read: (part: JsonObject) => unknown): unknown =>
    branchesOf(schema, resolve)
      .map(read)
      .find((value) => value !== undefined);
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
  const kinds = branchesOf(schema, resolve).map((part): Shape => {
    const types = [part.type].flat();
    if (types.includes('array')) return 'array';
    return types.includes('object') || isObject(part.properties) ? 'object' : 'primitive';
  });
  return kinds.find((kind) => kind !== 'primitive') ?? 'primitive';
}

/** The schema and its branches, each resolved. */
function branchesOf(schema: JsonObject, resolve: Resolve, depth = 0): JsonObject[] {
  const resolved = resolve(schema);
  const branches = [resolved.allOf, resolved.oneOf, resolved.anyOf].flat().filter(isObject);
  if (depth > MAX_DEPTH) return [resolved];
  return [resolved, ...branches.flatMap((branch) => branchesOf(branch, resolve, depth + 1))];
}
