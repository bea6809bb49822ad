import { describe, expect, test } from 'vitest';
import { buildSchemaDocument } from '../../sandbox/descriptor/schemas.ts';
import { readPointer } from '../../sandbox/json.ts';

function convert(schema: unknown, direction: 'request' | 'response' = 'response', openapi = '3.0.3'): unknown {
  const document = buildSchemaDocument({ openapi, components: { schemas: { X: schema } } }, direction);
  return readPointer(document, '/components/schemas/X');
}

describe('OpenAPI 3.0 schemas as JSON Schema 2020-12', () => {
  test.each<[string, unknown, unknown]>([
    ['nullable with a type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'nullable with an enumeration',
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'nullable around a reference',
      { nullable: true, allOf: [{ $ref: '#/components/schemas/Y' }] },
      { anyOf: [{ allOf: [{ $ref: 'response#/components/schemas/Y' }] }, { type: 'null' }] },
    ],
    [
      'nullable next to a reference, and a type that is ignored there',
      { nullable: true, type: 'string', $ref: '#/components/schemas/Y' },
      { anyOf: [{ $ref: 'response#/components/schemas/Y' }, { type: 'null' }] },
    ],
    [
      'a type next to a reference',
      { type: 'string', $ref: '#/components/schemas/Y' },
      { $ref: 'response#/components/schemas/Y' },
    ],
    ['nullable: false', { type: 'string', nullable: false }, { type: 'string', nullable: false }],
    [
      'exclusive bounds',
      { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      { type: 'number', exclusiveMinimum: 1, maximum: 9 },
    ],
    [
      'a property that is named like a keyword',
      {
        type: 'object',
        properties: { example: { type: 'string', nullable: true }, nullable: { type: 'boolean' } },
      },
      { type: 'object', properties: { example: { type: ['string', 'null'] }, nullable: { type: 'boolean' } } },
    ],
  ])('%s', (_, given, want) => {
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
