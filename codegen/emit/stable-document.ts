/** Prepares a copy of a descriptor for openapi-typescript: stable order, and nothing that would blur a type. */

import { type Kind, kindOfMember } from './document-walk.ts';
import { resolveReference, withShallowReferences } from './shallow-references.ts';

type Json = Record<string, unknown>;

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** OpenAPI 3.1 §4.8.12: header parameters with these names are ignored. */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization']);

/** Keywords from which openapi-typescript makes a type. A schema without any of them becomes `unknown`. */
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

/**
 * A deep copy of a bundled document (local references only) that gives the same types however the descriptor is ordered.
 *
 * - References lead to components.
 * - Members are sorted by code unit, parameters by place and name.
 * - Operation ids that openapi-typescript would confuse are gone.
 * - `$defs` are gone: openapi-typescript makes members of them, and references to them lead to components by now.
 * - Header parameters that OpenAPI tells clients to ignore are gone.
 * - Alternatives that only say which members are required (`anyOf: [{required: [a]}, {required: [b]}]`) do not take
 *   part in the type: openapi-typescript reads them as `unknown`, and `unknown` swallows the whole union.
 */
export function toStableDocument(document: unknown): Json {
  const copy = sorted(withShallowReferences(document), 'node') as Json;
  const items = [...Object.values(toObject(copy.paths)), ...Object.values(toObject(copy.webhooks))].map(toObject);
  const operations = items.flatMap((item) => METHODS.map((method) => toObject(item[method])));
  for (const owner of [...items, ...operations]) stabilizeParameters(copy, owner);
  dropSharedIds(operations);
  return copy;
}

/** openapi-typescript collects operations under their ids, and writes `#` in them as `/`: equal ids would meet there. */
function dropSharedIds(operations: readonly Json[]): void {
  const idOf = ({ operationId }: Json) => String(operationId).replaceAll('#', '/');
  for (const [, group] of Map.groupBy(operations, idOf)) {
    if (group.length > 1) for (const operation of group) delete operation.operationId;
  }
}

function sorted(value: unknown, kind: Kind): unknown {
  if (typeof value !== 'object' || value === null || kind === 'opaque') return value;
  if (Array.isArray(value)) return value.map((item) => sorted(item, kind));
  const copy: Json = {};
  for (const key of Object.keys(value).sort()) {
    const item = (value as Json)[key];
    define(copy, key, sorted(item, kindOfMember(kind, key, item)));
  }
  if (kind === 'node') tidySchema(copy);
  return copy;
}

/** Keywords that openapi-typescript reads without checking them, in a form that it can read. */
function tidySchema(schema: Json): void {
  const { required, title } = schema;
  if (Array.isArray(required)) schema.required = required.filter((name) => typeof name === 'string').sort();
  else if (!('in' in schema) && !('content' in schema)) delete schema.required;
  if (typeof title !== 'string') delete schema.title;
  for (const key of ['allOf', 'anyOf', 'oneOf']) {
    const parts = schema[key];
    if (Array.isArray(parts)) schema[key] = parts.map((part) => (typeof part === 'boolean' ? {} : part));
    else delete schema[key];
  }
  delete schema.$defs;
  if (typeof schema.const === 'object') delete schema.const;
  const properties = Object.entries(toObject(schema.properties));
  if (properties.length > 0) schema.properties = Object.fromEntries(properties.map(loosenNull));
  for (const key of ['anyOf', 'oneOf']) clarifyAlternatives(schema, key);
}

/** A member that is always null becomes `unknown`: openapi-fetch takes the type `null` for a member that is read-only. */
function loosenNull([name, schema]: [string, unknown]): [string, unknown] {
  const { type, const: constant, enum: values, ...rest } = toObject(schema);
  const isNull = type === 'null' || constant === null || (Array.isArray(values) && values.every((one) => one === null));
  return [name, isNull ? rest : schema];
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

function stabilizeParameters(document: Json, owner: Json): void {
  if (!Array.isArray(owner.parameters)) return;
  const resolved = owner.parameters.map((parameter) => ({
    parameter,
    target: toObject(resolveReference(document, parameter)),
  }));
  owner.parameters = resolved
    .filter(({ target }) => target.in !== 'header' || !IGNORED_HEADERS.has(String(target.name).toLowerCase()))
    .sort((a, b) => compare(a.target.in, b.target.in) || compare(a.target.name, b.target.name))
    .map(({ parameter }) => parameter);
}

function compare(a: unknown, b: unknown): number {
  return String(a) < String(b) ? -1 : Number(String(a) > String(b));
}

function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function define(object: Json, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
