import { describe, expect, test } from 'vitest';
import { places, schemaOf } from './model-of.ts';

interface Case {
  readonly given: unknown;
  readonly want: unknown;
}

describe('a schema of OpenAPI 3.0', () => {
  const cases: [string, Case][] = [
    ['nullable type', { given: { type: 'string', nullable: true }, want: { type: ['string', 'null'] } }],
    [
      'nullable enum',
      {
        given: { type: 'string', enum: ['a', 'b'], nullable: true },
        want: { type: ['string', 'null'], enum: ['a', 'b', null] },
      },
    ],
    [
      'nullable enum that has null',
      {
        given: { type: 'string', enum: ['a', null], nullable: true },
        want: { type: ['string', 'null'], enum: ['a', null] },
      },
    ],
    ['nullable enum without a type', { given: { enum: ['a'], nullable: true }, want: { enum: ['a', null] } }],
    [
      'nullable allOf',
      {
        given: { allOf: [{ $ref: '#/components/schemas/Other' }], nullable: true, description: 'd' },
        want: { description: 'd', anyOf: [{ allOf: [{ $ref: '#/components/schemas/Other' }] }, { type: 'null' }] },
      },
    ],
    [
      'nullable object with allOf',
      {
        given: { type: 'object', allOf: [{ $ref: '#/components/schemas/Other' }], nullable: true, default: null },
        want: {
          default: null,
          anyOf: [{ type: 'object', allOf: [{ $ref: '#/components/schemas/Other' }] }, { type: 'null' }],
        },
      },
    ],
    [
      'nullable oneOf',
      {
        given: { oneOf: [{ type: 'string' }, { type: 'number' }], nullable: true },
        want: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
      },
    ],
    [
      'nullable anyOf that accepts null',
      {
        given: { anyOf: [{ type: 'string', nullable: true }], nullable: true },
        want: { anyOf: [{ type: ['string', 'null'] }] },
      },
    ],
    ['nullable anything', { given: { nullable: true, description: 'd' }, want: { description: 'd' } }],
    ['nullable false', { given: { type: 'string', nullable: false }, want: { type: 'string' } }],
    [
      'exclusive bounds',
      {
        given: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
        want: { type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 9 },
      },
    ],
    [
      'inclusive bounds',
      { given: { minimum: 1, exclusiveMinimum: false, maximum: 9 }, want: { minimum: 1, maximum: 9 } },
    ],
    [
      'an exclusive bound without a bound',
      { given: { type: 'number', exclusiveMaximum: true }, want: { type: 'number' } },
    ],
    ['an example', { given: { type: 'string', example: 'a' }, want: { type: 'string', examples: ['a'] } }],
    ['an example that is null', { given: { example: null }, want: { examples: [null] } }],
    [
      'siblings of a reference, which mean nothing but words',
      {
        given: {
          type: 'array',
          items: { $ref: '#/components/schemas/Other', type: 'object', maxProperties: 1, description: 'd' },
        },
        want: { type: 'array', items: { $ref: '#/components/schemas/Other', description: 'd' } },
      },
    ],
    [
      'nullable next to a reference',
      {
        given: { properties: { a: { $ref: '#/components/schemas/Other', nullable: true, description: 'd' } } },
        want: {
          properties: { a: { description: 'd', anyOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] } },
        },
      },
    ],
    [
      'nullable beside a type and a reference',
      {
        given: { properties: { a: { $ref: '#/components/schemas/Other', type: 'string', nullable: true } } },
        want: { properties: { a: { anyOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] } } },
      },
    ],
    [
      'nullable in a part of its own',
      {
        given: { allOf: [{ nullable: true, 'x-note': 1 }, { $ref: '#/components/schemas/Other' }] },
        want: { anyOf: [{ allOf: [{}, { $ref: '#/components/schemas/Other' }] }, { type: 'null' }] },
      },
    ],
    [
      'nullable of one part among others',
      {
        given: { allOf: [{ type: 'object', nullable: true }, { type: 'object' }] },
        want: { allOf: [{ type: ['object', 'null'] }, { type: 'object' }] },
      },
    ],
    [
      'nullable anyOf',
      {
        given: { anyOf: [{ $ref: '#/components/schemas/Other' }], nullable: true },
        want: { anyOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] },
      },
    ],
    [
      'a discriminator with a mapping by name and by reference',
      {
        given: {
          oneOf: [{ $ref: '#/components/schemas/Other' }],
          discriminator: {
            propertyName: 'kind',
            mapping: { a: 'Other', b: '#/components/schemas/Other', c: 'Nowhere', d: 5 },
          },
        },
        want: {
          oneOf: [{ $ref: '#/components/schemas/Other' }],
          discriminator: {
            propertyName: 'kind',
            values: [
              { value: 'a', ref: '#/components/schemas/Other' },
              { value: 'b', ref: '#/components/schemas/Other' },
            ],
          },
        },
      },
    ],
    [
      'a discriminator with nothing to choose from',
      { given: { type: 'object', discriminator: { propertyName: 'kind' } }, want: { type: 'object' } },
    ],
    [
      'nullable deep inside',
      {
        given: {
          properties: { a: { items: { type: 'string', nullable: true } } },
          additionalProperties: { type: 'integer', nullable: true },
        },
        want: {
          properties: { a: { items: { type: ['string', 'null'] } } },
          additionalProperties: { type: ['integer', 'null'] },
        },
      },
    ],
  ];
  test.each(cases)('is translated: %s', (_title, { given, want }) => {
    const { schema, problems } = schemaOf(given, '3.0.3');
    expect(schema).toEqual(want);
    expect(problems).toEqual([]);
  });
});

describe('a schema of OpenAPI 3.1', () => {
  const kept = {
    title: 'Note',
    description: 'd',
    type: ['object', 'null'],
    format: 'note',
    default: {},
    examples: [{ a: 1 }],
    deprecated: true,
    readOnly: true,
    writeOnly: true,
    required: ['a'],
    properties: { a: { const: 1 }, b: { enum: [1, null] }, 'x-c': { type: 'string' } },
    patternProperties: { '^s-': { type: 'string', pattern: '(?i)x' } },
    additionalProperties: { $ref: '#/components/schemas/Other', description: 'sibling' },
    propertyNames: { maxLength: 3 },
    minProperties: 1,
    maxProperties: 2,
    dependentRequired: { a: ['b'] },
    dependentSchemas: { a: { minProperties: 2 } },
    allOf: [{ minimum: 1, maximum: 2, exclusiveMinimum: 0, exclusiveMaximum: 3, multipleOf: 0.5 }],
    anyOf: [{ minLength: 1, maxLength: 2, contentEncoding: 'base64', contentMediaType: 'image/png' }],
    oneOf: [
      { prefixItems: [{ type: 'string' }], items: { type: 'number' }, minItems: 1, maxItems: 2, uniqueItems: true },
    ],
    not: { contains: { type: 'null' }, minContains: 1, maxContains: 2 },
    if: { type: 'object' },
    ...Object.fromEntries([['then', { unevaluatedProperties: { type: 'string' } }]]),
    else: { unevaluatedItems: { type: 'string' } },
    $defs: { inner: { type: 'integer' } },
  };

  test('keeps every keyword of JSON Schema 2020-12 in its order', () => {
    const { schema, problems } = schemaOf(kept);
    expect(schema).toEqual(kept);
    expect(Object.keys(schema)).toEqual(Object.keys(kept));
    expect(problems).toEqual([]);
  });

  const cases: [string, Case][] = [
    ['true', { given: true, want: {} }],
    ['false', { given: false, want: { not: {} } }],
    [
      'booleans deep inside',
      {
        given: { properties: { a: true, b: false }, additionalProperties: false, items: true, anyOf: [false] },
        want: {
          properties: { a: {}, b: { not: {} } },
          additionalProperties: { not: {} },
          items: {},
          anyOf: [{ not: {} }],
        },
      },
    ],
    [
      "OpenAPI's own and identifying keywords",
      {
        given: {
          type: 'object',
          xml: { name: 'n' },
          externalDocs: { url: 'https://example.com' },
          discriminator: { propertyName: 'kind' },
          'x-internal': true,
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $comment: 'c',
          $anchor: 'a',
          $dynamicAnchor: 'b',
          deprecated: false,
          readOnly: false,
          writeOnly: false,
          uniqueItems: false,
          unknown: 1,
        },
        want: { type: 'object' },
      },
    ],
    [
      'nullable, which is not in 3.1 but authors still write',
      { given: { type: 'string', nullable: true }, want: { type: ['string', 'null'] } },
    ],
    [
      'nullable next to a reference',
      {
        given: { properties: { a: { $ref: '#/components/schemas/Other', nullable: true } } },
        want: { properties: { a: { anyOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] } } },
      },
    ],
    ['one type in a list', { given: { type: ['string'] }, want: { type: 'string' } }],
    [
      'repeated types and names',
      {
        given: { type: ['string', 'null', 'string'], required: ['a', 'a'] },
        want: { type: ['string', 'null'], required: ['a'] },
      },
    ],
    ['empty lists', { given: { required: [], allOf: [], anyOf: [], oneOf: [], examples: [] }, want: {} }],
    ['example next to examples', { given: { example: 1, examples: [2] }, want: { examples: [2] } }],
    [
      'examples by name',
      { given: { examples: { a: { value: 1 }, b: { value: null }, c: {} } }, want: { examples: [1, null] } },
    ],
    [
      'tuples of older drafts',
      {
        given: { type: 'array', items: [{ type: 'string' }, true], additionalItems: false },
        want: { type: 'array', prefixItems: [{ type: 'string' }, {}], items: { not: {} } },
      },
    ],
    [
      'a property named like a keyword',
      {
        given: { properties: { properties: { type: 'string' }, $ref: { type: 'string' } } },
        want: { properties: { properties: { type: 'string' }, $ref: { type: 'string' } } },
      },
    ],
    [
      'values that look like schemas',
      {
        given: { const: { nullable: true }, default: { example: 1 }, enum: [{ xml: 1 }] },
        want: { const: { nullable: true }, default: { example: 1 }, enum: [{ xml: 1 }] },
      },
    ],
  ];
  test.each(cases)('is translated: %s', (_title, { given, want }) => {
    const { schema, problems } = schemaOf(given);
    expect(schema).toEqual(want);
    expect(problems).toEqual([]);
  });

  const wrong: [string, { given: unknown; want: unknown; problem: string }][] = [
    [
      'an unknown type',
      { given: { type: 'strin', title: 't' }, want: { title: 't' }, problem: 'schema-keyword /type' },
    ],
    [
      'required as a boolean',
      {
        given: { properties: { a: { type: 'string', required: true } } },
        want: { properties: { a: { type: 'string' } } },
        problem: 'schema-keyword /properties/a/required',
      },
    ],
    ['a limit that is a string', { given: { maxLength: '3' }, want: {}, problem: 'schema-keyword /maxLength' }],
    ['a negative length', { given: { minItems: -1 }, want: {}, problem: 'schema-keyword /minItems' }],
    ['properties as a list', { given: { properties: ['a'] }, want: {}, problem: 'schema-keyword /properties' }],
    ['allOf as an object', { given: { allOf: {} }, want: {}, problem: 'schema-keyword /allOf' }],
    ['multipleOf zero', { given: { multipleOf: 0 }, want: {}, problem: 'schema-keyword /multipleOf' }],
    [
      'a schema that is a string',
      { given: { items: 'string' }, want: { items: {} }, problem: 'schema-invalid /items' },
    ],
    [
      'a schema that is null',
      { given: { properties: { a: null } }, want: { properties: { a: {} } }, problem: 'schema-invalid /properties/a' },
    ],
    [
      'a dynamic reference',
      {
        given: { items: { $dynamicRef: '#node', title: 't' } },
        want: { items: { title: 't' } },
        problem: 'schema-dynamic-reference /items/$dynamicRef',
      },
    ],
  ];
  test.each(wrong)('loses what is invalid, with a problem: %s', (_title, { given, want, problem }) => {
    const { schema, problems } = schemaOf(given);
    expect(schema).toEqual(want);
    expect(places(problems)).toEqual([problem.replace(' ', ' /components/schemas/Given')]);
  });
});
