/** Output schemas as clients see them: a number may be the text of its digits. */

import type { JsonSchema, ObjectSchema } from '../../../contract/index.ts';
import { asSchemas, isSchema } from '../json.ts';

const publishedSchemas = new WeakMap<ObjectSchema, ObjectSchema>();

/**
 * The schema that structured content satisfies, which has texts in place of numbers that clients would round.
 *
 * `integer` and `number` also allow `string`, unless format or bounds leave no such number. An `oneOf` around them becomes an `anyOf`, because
 * a text may then match several of its alternatives. Returns the schema itself if it has no such number; the same object for the same schema.
 */
export function publishedOutput(schema: ObjectSchema): ObjectSchema {
  const cachedSchema = publishedSchemas.get(schema);
  if (cachedSchema !== undefined) return cachedSchema;
  const widened = allowDigits(schema) as ObjectSchema;
  publishedSchemas.set(schema, widened);
  return widened;
}

/** Keywords whose value is a schema, or a list of schemas. `not` and `if` are left alone: wider, they would refuse more. */
const SCHEMAS = new Set([
  'items',
  'prefixItems',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contains',
  'allOf',
  'anyOf',
  'oneOf',
  'then',
  'else',
]);
/** Keywords whose value maps names to schemas. */
const SCHEMAS_BY_NAME = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

function allowDigits(schema: JsonSchema): JsonSchema {
  let copy: Record<string, unknown> | undefined;
  for (const [keyword, value] of Object.entries(schema)) {
    const widened = widenKeyword(keyword, value);
    if (widened === value) continue;
    copy ??= { ...schema };
    copy[keyword] = widened;
  }
  const inner = copy === undefined ? schema : withoutOneOf(copy, schema);
  return mayLoseDigits(schema) ? { ...inner, type: [schema.type, 'string'].flat() } : inner;
}

function widenKeyword(keyword: string, value: unknown): unknown {
  if (SCHEMAS.has(keyword)) {
    if (Array.isArray(value)) return widenAll(value, keyword === 'anyOf' || keyword === 'oneOf');
    return isSchema(value) ? allowDigits(value) : value;
  }
  if (!SCHEMAS_BY_NAME.has(keyword) || !isSchema(value)) return value;
  const members = Object.entries(value);
  const widened = members.map(([name, member]) => [name, isSchema(member) ? allowDigits(member) : member] as const);
  const isSame = widened.every(([, member], index) => member === members[index]?.[1]);
  return isSame ? value : Object.fromEntries(widened);
}

/**
 * Widens the schemas of a list.
 *
 * @param areAlternatives true if a schema that allows texts is enough for the numbers of the others.
 */
function widenAll(schemas: readonly unknown[], areAlternatives: boolean): readonly unknown[] {
  const takesText = areAlternatives && asSchemas(schemas).some(({ type }) => [type].flat().includes('string'));
  const widened = schemas.map((schema) => {
    if (!isSchema(schema)) return schema;
    return takesText && mayLoseDigits(schema) ? schema : allowDigits(schema);
  });
  return widened.every((schema, index) => schema === schemas[index]) ? schemas : widened;
}

/** Replaces an `oneOf` that was widened. */
function withoutOneOf(widened: Record<string, unknown>, before: JsonSchema): JsonSchema {
  if (widened.oneOf === before.oneOf) return widened;
  const { oneOf, ...otherKeywords } = widened;
  if (otherKeywords.anyOf === undefined) return { ...otherKeywords, anyOf: oneOf };
  return { ...otherKeywords, allOf: [...asSchemas(otherKeywords.allOf), { anyOf: oneOf }] };
}

const SMALL_FORMAT = /^u?int(?:8|16|32)$/;

/** True if the schema allows numbers that a client would round, and no texts. */
function mayLoseDigits(schema: JsonSchema): boolean {
  const types = [schema.type].flat();
  if (types.includes('string') || schema.enum !== undefined || 'const' in schema) return false;
  if (types.includes('number')) return true;
  return types.includes('integer') && !SMALL_FORMAT.test(String(schema.format)) && !isBounded(schema);
}

function isBounded({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: JsonSchema): boolean {
  const isSafe = (bound: unknown) => typeof bound === 'number' && Math.abs(bound) <= Number.MAX_SAFE_INTEGER;
  return (isSafe(minimum) || isSafe(exclusiveMinimum)) && (isSafe(maximum) || isSafe(exclusiveMaximum));
}
