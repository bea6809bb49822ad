/** Output schemas with the types that codegen leaves unsaid, so that only what changed for a reader is a change. */

import { isRecord } from '../../json.ts';
import type { Schema } from '../types.ts';

const SAY_MORE = ['type', '$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not'];

/**
 * `properties` or `additionalProperties` mean an object, `items` an array, and a schema that says nothing of its shape a
 * text; each of them may be null. Earlier codegen said so at every place. `additionalProperties: {}` says nothing else.
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
