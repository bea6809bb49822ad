import { describe, expect, test } from 'vitest';
import { places, schemaOf } from './model-of.ts';

describe('a schema of OpenAPI 3.0', () => {
  const cases: [string, unknown, unknown][] = [
    ['nullable type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'nullable enum',
      { type: 'string', enum: ['a', 'b'], nullable: true },
      { type: ['string', 'null'], enum: ['a', 'b', null] },
    ],
    [
      'nullable enum that has null',
      { type: 'string', enum: ['a', null], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    ['nullable enum without a type', { enum: ['a'], nullable: true }, { enum: ['a', null] }],
    [
      'nullable allOf',
      { allOf: [{ $ref: '#/components/schemas/Other' }], nullable: true, description: 'd' },
      { description: 'd', anyOf: [{ allOf: [{ $ref: '#/components/schemas/Other' }] }, { type: 'null' }] },
    ],
    [
      'nullable object with allOf',
      { type: 'object', allOf: [{ $ref: '#/components/schemas/Other' }], nullable: true, default: null },
      {
        default: null,
        anyOf: [{ type: 'object', allOf: [{ $ref: '#/components/schemas/Other' }] }, { type: 'null' }],
      },
    ],
    [
      'nullable oneOf',
      { oneOf: [{ type: 'string' }, { type: 'number' }], nullable: true },
      { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
    ],
    [
      'nullable anyOf that accepts null',
      { anyOf: [{ type: 'string', nullable: true }], nullable: true },
      { anyOf: [{ type: ['string', 'null'] }] },
    ],
    ['nullable anything', { nullable: true, description: 'd' }, { description: 'd' }],
    ['nullable false', { type: 'string', nullable: false }, { type: 'string' }],
    [
      'exclusive bounds',
      { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
      { type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 9 },
    ],
    ['inclusive bounds', { minimum: 1, exclusiveMinimum: false, maximum: 9 }, { minimum: 1, maximum: 9 }],
    ['an exclusive bound without a bound', { type: 'number', exclusiveMaximum: true }, { type: 'number' }],
    ['an example', { type: 'string', example: 'a' }, { type: 'string', examples: ['a'] }],
    ['an example that is null', { example: null }, { examples: [null] }],
    [
      'siblings of a reference, which mean nothing but words',
      {
        type: 'array',
        items: { $ref: '#/components/schemas/Other', type: 'object', maxProperties: 1, description: 'd' },
      },
      { type: 'array', items: { $ref: '#/components/schemas/Other', description: 'd' } },
    ],
    [
      'nullable next to a reference',
      { properties: { a: { $ref: '#/components/schemas/Other', nullable: true, description: 'd' } } },
      {
        properties: { a: { description: 'd', anyOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] } },
      },
    ],
    [
      'nullable beside a type and a reference',
      { properties: { a: { $ref: '#/components/schemas/Other', type: 'string', nullable: true } } },
      { properties: { a: { anyOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] } } },
    ],
    [
      'nullable in a part of its own',
      { allOf: [{ nullable: true, 'x-note': 1 }, { $ref: '#/components/schemas/Other' }] },
      { anyOf: [{ allOf: [{}, { $ref: '#/components/schemas/Other' }] }, { type: 'null' }] },
    ],
    [
      'nullable of one part among others',
      { allOf: [{ type: 'object', nullable: true }, { type: 'object' }] },
      { allOf: [{ type: ['object', 'null'] }, { type: 'object' }] },
    ],
    [
      'nullable anyOf',
      { anyOf: [{ $ref: '#/components/schemas/Other' }], nullable: true },
      { anyOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] },
    ],
    [
      'a discriminator with a mapping by name and by reference',
      {
        oneOf: [{ $ref: '#/components/schemas/Other' }],
        discriminator: {
          propertyName: 'kind',
          mapping: { a: 'Other', b: '#/components/schemas/Other', c: 'Nowhere', d: 5 },
        },
      },
      {
        oneOf: [{ $ref: '#/components/schemas/Other' }],
        discriminator: {
          propertyName: 'kind',
          values: [
            { value: 'a', ref: '#/components/schemas/Other' },
            { value: 'b', ref: '#/components/schemas/Other' },
          ],
        },
      },
    ],
    [
      'a discriminator with nothing to choose from',
      { type: 'object', discriminator: { propertyName: 'kind' } },
      { type: 'object' },
    ],
    [
      'nullable deep inside',
      {
        properties: { a: { items: { type: 'string', nullable: true } } },
        additionalProperties: { type: 'integer', nullable: true },
      },
      {
        properties: { a: { items: { type: ['string', 'null'] } } },
        additionalProperties: { type: ['integer', 'null'] },
      },
    ],
  ];
  test.each(cases)('is translated: %s', (_title, given, want) => {
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

  const cases: [string, unknown, unknown][] = [
    ['true', true, {}],
    ['false', false, { not: {} }],
    [
      'booleans deep inside',
      { properties: { a: true, b: false }, additionalProperties: false, items: true, anyOf: [false] },
      {
        properties: { a: {}, b: { not: {} } },
        additionalProperties: { not: {} },
        items: {},
        anyOf: [{ not: {} }],
      },
    ],
    [
      "OpenAPI's own and identifying keywords",
      {
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
      { type: 'object' },
    ],
    [
      'nullable, which is not in 3.1 but authors still write',
      { type: 'string', nullable: true },
      { type: ['string', 'null'] },
    ],
    [
      'nullable next to a reference',
      { properties: { a: { $ref: '#/components/schemas/Other', nullable: true } } },
      { properties: { a: { anyOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] } } },
    ],
    ['one type in a list', { type: ['string'] }, { type: 'string' }],
    [
      'repeated types and names',
      { type: ['string', 'null', 'string'], required: ['a', 'a'] },
      { type: ['string', 'null'], required: ['a'] },
    ],
    ['empty lists', { required: [], allOf: [], anyOf: [], oneOf: [], examples: [] }, {}],
    ['example next to examples', { example: 1, examples: [2] }, { examples: [2] }],
    ['examples by name', { examples: { a: { value: 1 }, b: { value: null }, c: {} } }, { examples: [1, null] }],
    [
      'tuples of older drafts',
      { type: 'array', items: [{ type: 'string' }, true], additionalItems: false },
      { type: 'array', prefixItems: [{ type: 'string' }, {}], items: { not: {} } },
    ],
    [
      'a property named like a keyword',
      { properties: { properties: { type: 'string' }, $ref: { type: 'string' } } },
      { properties: { properties: { type: 'string' }, $ref: { type: 'string' } } },
    ],
    [
      'values that look like schemas',
      { const: { nullable: true }, default: { example: 1 }, enum: [{ xml: 1 }] },
      { const: { nullable: true }, default: { example: 1 }, enum: [{ xml: 1 }] },
    ],
  ];
  test.each(cases)('is translated: %s', (_title, given, want) => {
    const { schema, problems } = schemaOf(given);
    expect(schema).toEqual(want);
    expect(problems).toEqual([]);
  });

  const wrong: [string, unknown, unknown, string][] = [
    ['an unknown type', { type: 'strin', title: 't' }, { title: 't' }, 'schema-keyword /type'],
    [
      'required as a boolean',
      { properties: { a: { type: 'string', required: true } } },
      { properties: { a: { type: 'string' } } },
      'schema-keyword /properties/a/required',
    ],
    ['a limit that is a string', { maxLength: '3' }, {}, 'schema-keyword /maxLength'],
    ['a negative length', { minItems: -1 }, {}, 'schema-keyword /minItems'],
    ['properties as a list', { properties: ['a'] }, {}, 'schema-keyword /properties'],
    ['allOf as an object', { allOf: {} }, {}, 'schema-keyword /allOf'],
    ['multipleOf zero', { multipleOf: 0 }, {}, 'schema-keyword /multipleOf'],
    ['a schema that is a string', { items: 'string' }, { items: {} }, 'schema-invalid /items'],
    ['a schema that is null', { properties: { a: null } }, { properties: { a: {} } }, 'schema-invalid /properties/a'],
    [
      'a dynamic reference',
      { items: { $dynamicRef: '#node', title: 't' } },
      { items: { title: 't' } },
      'schema-dynamic-reference /items/$dynamicRef',
    ],
  ];
  test.each(wrong)('loses what is invalid, with a problem: %s', (_title, given, want, problem) => {
    const { schema, problems } = schemaOf(given);
    expect(schema).toEqual(want);
    expect(places(problems)).toEqual([problem.replace(' ', ' /components/schemas/Given')]);
  });
});
