import { describe, expect, test } from 'vitest';
import { findContradiction } from '../../../../codegen/tools/schema/contradiction.ts';

const requiring = (schema: object, more: object = {}) => ({
  type: 'object',
  properties: { a: schema },
  required: ['a'],
  additionalProperties: false,
  ...more,
});

describe('no value satisfies', () => {
  test.each<[string, object]>([
    ['a minimum over a maximum', { type: 'integer', minimum: 5, maximum: 3 }],
    ['bounds with no whole number between them', { type: 'integer', exclusiveMinimum: 1, exclusiveMaximum: 2 }],
    ['minLength over maxLength', { type: 'string', minLength: 4, maxLength: 3 }],
    ['minItems over maxItems', { type: 'array', items: {}, minItems: 2, maxItems: 1 }],
    ['a const of another type', { type: 'string', const: 3 }],
    ['an enum outside its type', { type: 'integer', enum: ['a', 'b'] }],
    ['a pattern that excludes the enum', { type: 'string', enum: ['a', 'b'], pattern: '^[0-9]+$' }],
    ['types that exclude each other', { allOf: [{ type: 'string' }, { type: 'object' }] }],
    ['a member that nothing satisfies', requiring({ not: {} })],
    ['a required member that a closed object lacks', requiring({}, { required: ['b'] })],
    ['required members that not excludes', requiring({}, { not: { required: ['a'] } })],
    [
      'items that contradict themselves',
      { type: 'array', minItems: 1, items: { type: 'string', minLength: 2, maxLength: 1 } },
    ],
    [
      'alternatives that all add members to a closed object',
      requiring({}, { oneOf: [{ required: ['b'] }, { required: ['c'], properties: { c: {} } }] }),
    ],
    ['a definition that contradicts itself', { $ref: '#/$defs/Size' }],
  ])('%s', (_, schema) => {
    const $defs = { Size: { type: 'integer', minimum: 1, maximum: 0 } };
    expect(findContradiction({ ...requiring(schema), $defs })).toEqual({
      pointer: expect.any(String),
      reason: expect.any(String),
    });
  });
});

describe('a value may satisfy', () => {
  test.each<[string, object]>([
    ['an optional member that nothing satisfies', { type: 'object', properties: { b: { not: {} } } }],
    ['an empty list of items that contradict themselves', { type: 'array', items: { not: {} } }],
    ['a pattern that no example is known for', { type: 'string', pattern: '^(?:a{3}|b{7})[^c]$', minLength: 2 }],
    ['one of several alternatives', { anyOf: [{ type: 'string', minLength: 2, maxLength: 1 }, { type: 'null' }] }],
    ['one listed value', { type: ['string', 'null'], enum: ['a', null], pattern: '^b' }],
    ['a whole number as a number', { type: 'number', enum: [1, 2], minimum: 2 }],
    ['a member that a pattern allows', requiring({}, { required: ['x-a'], patternProperties: { '^x-': {} } })],
    ['a schema that contains itself', { $ref: '#/$defs/Node' }],
  ])('%s', (_, schema) => {
    const $defs = { Node: { type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/Node' } } } };
    expect(findContradiction({ ...requiring(schema), $defs })).toBeNull();
  });
});
