/** Adds the types that codegen leaves implicit to output schemas, so that only changes for a reader are reported. */

import { isRecord } from '../../json.ts';
import type { Schema } from '../types.ts';

const SAY_MORE = ['type', '$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not'];

/**
 * `properties` or `additionalProperties` imply an object, `items` an array, and a schema without any of them text; each
 * may be null. Earlier versions of codegen wrote these types everywhere. `additionalProperties: {}` is the default.
 */
export function withImpliedTypes({ additionalProperties, ...schema }: Schema): Schema {
  const isMap = isRecord(additionalProperties) && Object.keys(additionalProperties).length === 0;
  const result: Record<string, unknown> = { ...impliedType({ additionalProperties, ...schema }), ...schema };
  if (additionalProperties !== undefined && !isMap) result.additionalProperties = additionalProperties;
  for (const keyword of ['items', 'additionalProperties']) {
    const inner = result[keyword];
    if (isRecord(inner)) result[keyword] = withImpliedTypes(inner);
  }
  for (const keyword of ['properties', '$defs']) {
    const members = schema[keyword];
    if (isRecord(members)) result[keyword] = mapValues(members);
  }
  return result;
}

function mapValues(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, isRecord(member) ? withImpliedTypes(member) : member]),
  );
}

function impliedType(schema: Schema): Schema {
  if (SAY_MORE.some((keyword) => schema[keyword] !== undefined)) return {};
  if (isRecord(schema.properties) || isRecord(schema.additionalProperties)) return { type: ['object', 'null'] };
  return { type: [isRecord(schema.items) ? 'array' : 'string', 'null'] };
}
