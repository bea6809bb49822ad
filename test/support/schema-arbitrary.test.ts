import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../sandbox/json.ts';
import { findUnsendableNumber } from '../../server/call/tools/argument-numbers.ts';
import { schemaArbitrary } from './schema-arbitrary.ts';

const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

function draw(schema: JsonObject, numRuns = 200): unknown[] {
  return fc.sample(schemaArbitrary(schema), { numRuns, seed: 7 });
}

const FITTING: [title: string, schema: JsonObject][] = [
  ['anything', {}],
  ['several types', { type: ['string', 'integer', 'null', 'array'], items: { type: 'boolean' } }],
  ['lengths in code points', { type: 'string', minLength: 3, maxLength: 5 }],
  ['a long minimum', { type: 'string', minLength: 300, maxLength: 100_000 }],
  ['a pattern with a length', { type: 'string', pattern: '^[a-z0-9_-]+$', maxLength: 8 }],
  ...['date', 'date-time', 'time', 'uri', 'email', 'uuid', 'ipv4', 'ipv6', 'hostname'].map(
    (format): [string, JsonObject] => [`the format ${format}`, { type: 'string', format }],
  ),
  ['exclusive bounds', { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 3 }],
  ['fractions between bounds', { type: 'number', exclusiveMinimum: 0, maximum: 0.5 }],
  ['multiples', { type: 'integer', minimum: 1, maximum: 50, multipleOf: 7 }],
  ['multiples of a fraction', { type: 'number', minimum: 0, maximum: 2, multipleOf: 0.25 }],
  ['an enum of several types', { enum: ['a', 1, null, { b: [] }] }],
  ['a constant', { const: 'only' }],
  ['unique items', { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 2, uniqueItems: true }],
  ['a free-form object', { type: 'object', minProperties: 2 }],
  ['typed members of any name', { type: 'object', additionalProperties: { type: ['number', 'string'] } }],
  ['a refused value', { type: 'string', enum: ['a', 'b'], not: { enum: ['a'] } }],
  ['a merged allOf', { allOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { required: ['a'] }] }],
  [
    'exactly one member of several',
    {
      type: 'object',
      properties: { id: { type: 'string' }, a: { type: 'string' }, b: { type: 'integer' }, c: { type: 'null' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }, { required: ['c'] }],
      additionalProperties: false,
    },
  ],
  [
    'a schema that refers to itself',
    {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
          required: ['name'],
          additionalProperties: false,
        },
      },
    },
  ],
];

describe('values drawn from a schema', () => {
  test.each(FITTING)('fit %s', (_, schema) => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(ajv);
    const validate = ajv.compile(schema);
    const wrong = draw(schema).filter((value) => !validate(value));
    expect(wrong).toEqual([]);
  });

  test('are what JSON carries', () => {
    const values = draw({}, 1000);
    expect(values.map((value) => JSON.parse(JSON.stringify(value)))).toEqual(values);
    expect(values.filter((value) => findUnsendableNumber({ value }) !== null)).toEqual([]);
  });

  test('reach both ends of a range', () => {
    const numbers = draw({ type: 'integer', minimum: 1, maximum: 100 }, 40);
    expect([numbers.includes(1), numbers.includes(100)]).toEqual([true, true]);
  });

  test('reach the fewest and the most items', () => {
    const lengths = draw({ type: 'array', items: {}, minItems: 1, maxItems: 20 }, 60).map(
      (list) => (list as []).length,
    );
    expect([Math.min(...lengths), Math.max(...lengths)]).toEqual([1, 20]);
  });

  test('leave out some optional members and never a required one', () => {
    const schema = { type: 'object', properties: { a: {}, b: {} }, required: ['a'], additionalProperties: false };
    const shapes = new Set(draw(schema).map((value) => Object.keys(value as object).join()));
    expect([...shapes].toSorted()).toEqual(['a', 'a,b']);
  });
});
