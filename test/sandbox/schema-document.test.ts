import { describe, expect, test } from 'vitest';
import { buildSchemaDocument } from '../../sandbox/descriptor/schemas.ts';
import { readPointer } from '../../sandbox/json.ts';

function convert(schema: unknown, direction: 'request' | 'response' = 'response', openapi = '3.0.3'): unknown {
  const document = buildSchemaDocument({ openapi, components: { schemas: { X: schema } } }, direction);
  return readPointer(document, '/components/schemas/X');
}

describe('OpenAPI 3.0 schemas as JSON Schema 2020-12', () => {
  test.each<[string, { given: unknown; want: unknown }]>([
    ['nullable with a type', { given: { type: 'string', nullable: true }, want: { type: ['string', 'null'] } }],
    [
      'nullable with an enumeration',
      { given: { type: 'string', nullable: true, enum: ['a'] }, want: { type: ['string', 'null'], enum: ['a', null] } },
    ],
    [
      'nullable around a reference',
      {
        given: { nullable: true, allOf: [{ $ref: '#/components/schemas/Y' }] },
        want: { anyOf: [{ allOf: [{ $ref: 'response#/components/schemas/Y' }] }, { type: 'null' }] },
      },
    ],
    [
      'nullable next to a reference, and a type that is ignored there',
      {
        given: { nullable: true, type: 'string', $ref: '#/components/schemas/Y' },
        want: { anyOf: [{ $ref: 'response#/components/schemas/Y' }, { type: 'null' }] },
      },
    ],
    [
      'a type next to a reference',
      {
        given: { type: 'string', $ref: '#/components/schemas/Y' },
        want: { $ref: 'response#/components/schemas/Y' },
      },
    ],
    ['nullable: false', { given: { type: 'string', nullable: false }, want: { type: 'string', nullable: false } }],
    [
      'exclusive bounds',
      {
        given: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
        want: { type: 'number', exclusiveMinimum: 1, maximum: 9 },
      },
    ],
    [
      'a property that is named like a keyword',
      {
        given: {
          type: 'object',
          properties: { example: { type: 'string', nullable: true }, nullable: { type: 'boolean' } },
        },
        want: { type: 'object', properties: { example: { type: ['string', 'null'] }, nullable: { type: 'boolean' } } },
      },
    ],
  ])('%s', (_, { given, want }) => {
    expect(convert(given)).toEqual(want);
  });

  test('3.1 schemas keep their keywords', () => {
    const schema = { type: 'number', exclusiveMinimum: 1 };
    expect(convert(schema, 'response', '3.1.0')).toEqual(schema);
  });
});

describe('read-only and write-only members', () => {
  const schema = {
    type: 'object',
    required: ['id', 'name', 'password'],
    properties: { id: { type: 'integer', readOnly: true }, name: {}, password: { type: 'string', writeOnly: true } },
  };

  test('a request may omit read-only members', () => {
    expect(convert(schema, 'request')).toMatchObject({ required: ['name', 'password'] });
  });

  test('an answer may omit write-only members', () => {
    expect(convert(schema, 'response')).toMatchObject({ required: ['id', 'name'] });
  });
});
