/** Normalises one node of a descriptor so that openapi-typescript emits the right type. */

import { setMember } from '../../json.ts';
import { type Json, toObject } from './document-walk.ts';

/** Keywords from which openapi-typescript derives a type. A schema without any of them becomes `unknown`. */
const TYPE_KEYWORDS = [
  '$ref',
  'type',
  'properties',
  'additionalProperties',
  'patternProperties',
  'items',
  'prefixItems',
  'enum',
  'const',
  'allOf',
  'anyOf',
  'oneOf',
];

/** Rewrites keywords that openapi-typescript reads without a check into a form that it can read. Changes the object. */
export function tidySchema(schema: Json): void {
  const { required, title } = schema;
  if (Array.isArray(required)) schema.required = required.filter((name) => typeof name === 'string').sort();
  else if (!('in' in schema) && !('content' in schema)) drop(schema, 'required');
  if (typeof title !== 'string') drop(schema, 'title');
  dropInvalidKeywords(schema);
  drop(schema, '$defs');
  if (schema.type === 'array') drop(schema, 'properties');
  if (typeof schema.const === 'object') drop(schema, 'const');
  if (isObject(schema.properties)) loosenNulls(schema.properties);
  for (const key of ['anyOf', 'oneOf']) clarifyAlternatives(schema, key);
}

/** Drops invalid values of keywords, and reads a value that is not a schema as a schema that accepts anything. */
function dropInvalidKeywords(schema: Json): void {
  const { type } = schema;
  for (const key of ['description', 'summary', 'format']) if (typeof schema[key] !== 'string') drop(schema, key);
  if (typeof type !== 'string' && !(Array.isArray(type) && type.every((typeName) => typeof typeName === 'string'))) {
    drop(schema, 'type');
  }
  if (!Array.isArray(schema.enum) || type === 'object') drop(schema, 'enum');
  for (const key of ['allOf', 'anyOf', 'oneOf', 'prefixItems']) {
    const subschemas = schema[key];
    if (Array.isArray(subschemas)) schema[key] = subschemas.map((subschema) => (isObject(subschema) ? subschema : {}));
    else drop(schema, key);
  }
  if (Array.isArray(schema.items)) schema.items = schema.items.map((item) => (isObject(item) ? item : {}));
  else if (!isObject(schema.items)) drop(schema, 'items');
  for (const key of ['additionalProperties', 'not']) {
    if (typeof schema[key] !== 'boolean' && !isObject(schema[key])) drop(schema, key);
  }
  for (const key of ['properties', 'patternProperties', '$defs']) {
    const members = schema[key];
    if (!isObject(members)) drop(schema, key);
    else for (const name of Object.keys(members)) if (!isSchema(members[name])) setMember(members, name, {});
  }
}

/** Most nodes have few keywords, and a check is cheaper than a `delete` that finds nothing. */
function drop(schema: Json, key: string): void {
  if (key in schema) delete schema[key];
}

/** A member that is always null becomes `unknown`: openapi-fetch mistakes the type `null` for a read-only member. */
function loosenNulls(properties: Json): void {
  for (const name of Object.keys(properties)) {
    const { type, const: constant, enum: values } = toObject(properties[name]);
    const isNull =
      type === 'null' || constant === null || (Array.isArray(values) && values.every((value) => value === null));
    if (!isNull) continue;
    const { type: _type, const: _const, enum: _enum, ...rest } = toObject(properties[name]);
    setMember(properties, name, rest);
  }
}

function clarifyAlternatives(schema: Json, key: string): void {
  const alternatives = schema[key];
  if (!Array.isArray(alternatives) || alternatives.length === 0) return;
  if (alternatives.every(isTypeless)) delete schema[key];
  else schema[key] = alternatives.map((item) => (isTypeless(item) && isAboutObjects(item) ? { type: 'object' } : item));
}

function isTypeless(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && !TYPE_KEYWORDS.some((keyword) => keyword in schema);
}

function isAboutObjects(schema: unknown): boolean {
  return 'required' in (schema as Json);
}

function isSchema(value: unknown): boolean {
  return isObject(value) || typeof value === 'boolean';
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
