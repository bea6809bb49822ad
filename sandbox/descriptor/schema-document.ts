/**
 * Converts a descriptor to a document whose schemas are all JSON Schema 2020-12, so that one validator handles OpenAPI
 * 3.0 and 3.1.
 */

import { isObject, type JsonObject, readPointer } from '../json.ts';

/** What the schemas check: `readOnly` is never required in a request, `writeOnly` never in an answer. */
export type Direction = 'request' | 'response';

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
