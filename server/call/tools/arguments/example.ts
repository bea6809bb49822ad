/** Builds example values from schemas, for texts that show a model a correct value. */

import type { JsonSchema } from '../../../contract/index.ts';
import { asSchemas, isSchema, resolve } from '../json/schema-walk.ts';

const MAX_DEPTH = 6;

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T00:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  duration: 'P1D',
  uuid: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  email: 'name@example.com',
  uri: 'https://example.com/',
  'uri-reference': '/path',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};

/** Returns the schema's own example (`examples`, `default`, `const`, `enum`), else the simplest value. */
export function exampleOf(root: JsonSchema, schema: JsonSchema, depth = 0): unknown {
  const target = resolve(root, schema);
  const [first] = Array.isArray(target.examples) ? target.examples : [];
  if (first !== undefined) return first;
  if (target.example !== undefined) return target.example;
  if (target.default !== undefined && target.default !== null) return target.default;
  if ('const' in target) return target.const;
  if (Array.isArray(target.enum)) return target.enum[0];
  const [alternative] = [...asSchemas(target.anyOf), ...asSchemas(target.oneOf), ...asSchemas(target.allOf)];
  if (target.type === undefined && alternative !== undefined && depth < MAX_DEPTH) {
    return exampleOf(root, alternative, depth + 1);
  }
  return byType(root, target, depth);
}

function byType(root: JsonSchema, schema: JsonSchema, depth: number): unknown {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const [type] = types.filter((name) => name !== 'null');
  switch (type) {
    case 'integer':
    case 'number':
      return exampleNumber(schema);
    case 'boolean':
      return true;
    case 'array':
      return exampleArray(root, schema, depth);
    case 'object':
      return exampleObject(root, schema, depth);
    case undefined:
      return types.includes('null') ? null : 'text';
    default:
      return exampleText(schema);
  }
}

function exampleNumber(schema: JsonSchema): number {
  const { minimum, exclusiveMinimum, maximum } = schema;
  if (typeof minimum === 'number') return minimum;
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
  return typeof maximum === 'number' ? Math.min(1, maximum) : 1;
}

function exampleText(schema: JsonSchema): string {
  if (schema.contentEncoding === 'base64') return 'aGVsbG8=';
  if (schema.contentMediaType === 'application/json') return '{}';
  const text = (typeof schema.format === 'string' ? BY_FORMAT[schema.format] : undefined) ?? 'text';
  const shortest = typeof schema.minLength === 'number' ? Math.min(schema.minLength, 100) : 0;
  return text.padEnd(shortest, 'x');
}

function exampleArray(root: JsonSchema, schema: JsonSchema, depth: number): unknown[] {
  if (depth >= MAX_DEPTH || !isSchema(schema.items)) return [];
  return [exampleOf(root, schema.items, depth + 1)];
}

function exampleObject(root: JsonSchema, schema: JsonSchema, depth: number): Record<string, unknown> {
  const { properties } = schema;
  if (depth >= MAX_DEPTH || !isSchema(properties)) return {};
  // "Exactly one of these members" is written as alternatives that have only `required`.
  const [choice] = [...asSchemas(schema.oneOf), ...asSchemas(schema.anyOf)];
  const required = [schema.required, choice?.required].flatMap((names) => (Array.isArray(names) ? names : []));
  const entries = required.flatMap((name: string) => {
    const member = properties[name];
    return isSchema(member) ? [[name, exampleOf(root, member, depth + 1)]] : [];
  });
  return Object.fromEntries(entries);
}
