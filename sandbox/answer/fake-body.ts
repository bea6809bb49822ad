/** Generates a body that fits a response schema with json-schema-faker; the same schema always gives the same body. */

import { createHash } from 'node:crypto';
import { generateSync } from 'json-schema-faker';
import { isObject, type JsonObject, readPointer } from '../json.ts';

/** Keywords that json-schema-faker understands; it treats any other keyword as a property. */
const KEYWORDS = [
  ...['enum', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength'],
  ...['maxLength', 'pattern', 'format', 'minItems', 'maxItems', 'uniqueItems', 'required', 'minProperties'],
  ...['maxProperties', 'examples'],
];
const SCHEMA_LISTS = ['prefixItems', 'allOf', 'anyOf', 'oneOf'];
const ATTEMPTS = 8;

/**
 * @param document the document that renamed references (`response#/…`) point into
 * @param isValid whether a body fits; returns the first body that does, or the last one tried
 */
export function fakeBody(schema: JsonObject, document: JsonObject, isValid: (body: unknown) => boolean): unknown {
  const fakeable = toFakeable(schema, document, []) ?? {};
  const seed = createHash('sha256').update(JSON.stringify(fakeable)).digest().readUInt32BE();
  let body: unknown;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    body = generateSync(fakeable, {
      seed: seed + attempt,
      alwaysFakeOptionals: attempt < ATTEMPTS / 2,
      useExamplesValue: true,
      minItems: 1,
      maxItems: 2,
      maxDepth: 24,
      minDateTime: '2025-01-01',
      maxDateTime: '2026-01-01',
      outputTransform: toReadable,
    });
    if (isValid(body)) break;
  }
  return body;
}

/** The schema without references, null branches and unknown keywords; null if it refers to itself endlessly. */
function toFakeable(value: unknown, document: JsonObject, seen: readonly string[]): JsonObject | null {
  if (!isObject(value)) return {};
  const inline = (schema: unknown): JsonObject | null => toFakeable(schema, document, seen);
  const copy: JsonObject = {};
  for (const keyword of KEYWORDS) if (value[keyword] !== undefined) copy[keyword] = value[keyword];
  const reference = value.$ref;
  if (typeof reference === 'string') {
    if (seen.includes(reference)) return null;
    const target = readPointer(document, reference.slice(reference.indexOf('#')));
    const inlined = toFakeable(target, document, [...seen, reference]);
    if (inlined === null) return null;
    return Object.keys(copy).length > 0 ? { allOf: [inlined, copy] } : inlined;
  }
  const types = [value.type].flat().filter((type) => type !== 'null');
  if (value.type !== undefined) copy.type = types[0] ?? 'null';
  for (const keyword of SCHEMA_LISTS) {
    if (!Array.isArray(value[keyword])) continue;
    const branches = value[keyword].map(inline);
    const usable = branches.filter((branch) => branch !== null && (keyword === 'allOf' || branch.type !== 'null'));
    if (usable.length === 0 || (keyword === 'allOf' && usable.length < branches.length)) return null;
    copy[keyword] = usable;
  }
  if (isObject(value.properties)) {
    const properties = Object.entries(value.properties).map(([name, schema]) => [name, inline(schema)] as const);
    const required = Array.isArray(value.required) ? value.required : [];
    if (properties.some(([name, schema]) => schema === null && required.includes(name))) return null;
    copy.properties = Object.fromEntries(properties.filter(([, schema]) => schema !== null));
  } else if (copy.type === 'object') copy.properties = {};
  if (isObject(value.additionalProperties)) copy.additionalProperties = inline(value.additionalProperties) ?? false;
  else if (value.additionalProperties === false) copy.additionalProperties = false;
  if (value.items === undefined) return copy;
  const items = inline(value.items);
  return items === null ? { ...copy, minItems: 0, maxItems: 0 } : { ...copy, items };
}

/** Replaces random letters with words and long fractions with whole numbers, where the schema does not constrain them. */
function toReadable(value: unknown, schema: unknown, path: string): unknown {
  if (!isObject(schema) || schema.enum || schema.const !== undefined || schema.examples) return value;
  if (typeof value === 'number' && schema.minimum === undefined && schema.exclusiveMinimum === undefined)
    return schema.multipleOf === undefined ? Math.abs(Math.round(value)) : value;
  if (typeof value !== 'string' || schema.format || schema.pattern) return value;
  const words = path.split('/').filter((segment) => segment !== '' && !/^\d+$/.test(segment));
  const text = `Sample ${(words.at(-1) ?? 'text').replaceAll(/[_-]+/g, ' ')}`.slice(0, Number(schema.maxLength ?? 80));
  return text.length >= Number(schema.minLength ?? 0) ? text : value;
}
