import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../../codegen/model/types.ts';
import { answer, buildOne, jsonBody, parameter, propertiesOf } from '../service.ts';

function published(schema: Schema, schemas: Readonly<Record<string, Schema>> = {}) {
  const body = jsonBody({ type: 'object', properties: { x: schema } });
  const built = buildOne({ method: 'POST', path: '/search', body }, {}, { schemas });
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  const accepts = ajv.compile(built.tool.inputSchema);
  return {
    ...built,
    x: propertiesOf(built.tool.inputSchema).x,
    accepts: (value: unknown) => accepts({ x: value }),
    definitions: built.tool.inputSchema.$defs as Readonly<Record<string, Schema>> | undefined,
  };
}

describe('published argument schemas', () => {
  it.each<[string, Schema, Schema]>([
    ['an array without items gets items', { type: 'array' }, { type: 'array', items: {} }],
    [
      'a nested array gets items too',
      { type: 'array', items: { type: 'array' } },
      { type: 'array', items: { type: 'array', items: {} } },
    ],
    [
      'a tuple keeps its positions',
      { prefixItems: [{ type: 'string' }] },
      { type: 'array', prefixItems: [{ type: 'string' }], items: {} },
    ],
    ['properties imply an object', { properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    [
      'values imply their types',
      { enum: ['a', 1, null] },
      { type: ['string', 'integer', 'null'], enum: ['a', 1, null] },
    ],
    [
      'a boolean schema becomes an object',
      { type: 'object', properties: { a: true, b: false } },
      { type: 'object', properties: { a: {}, b: { not: {} } } },
    ],
    [
      'keywords that are null are removed',
      { type: 'string', description: null, default: null, const: null, enum: null },
      { type: 'string' },
    ],
    [
      'keywords of the wrong type are removed',
      { type: 'string', minLength: '3', maxLength: -1, pattern: 4, required: true },
      { type: 'string' },
    ],
    ['unknown types are removed', { type: 'file' }, {}],
    [
      'unknown keywords are removed',
      { type: 'string', 'x-order': 1, $comment: 'c', $id: 'u', $schema: 's' },
      { type: 'string' },
    ],
    ['repeated values are removed', { type: 'string', enum: ['a', 'a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
    ['an empty list of values is removed', { type: 'string', enum: [] }, { type: 'string' }],
    [
      'a format that validators know is kept',
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date-time' },
    ],
    [
      'any other format becomes text',
      { type: 'string', format: 'ulid' },
      { type: 'string', description: 'Format: ulid.' },
    ],
    ['whole steps are kept', { type: 'integer', multipleOf: 5 }, { type: 'integer', multipleOf: 5 }],
    [
      'steps that floating point cannot check become text',
      { type: 'number', multipleOf: 0.01 },
      { type: 'number', description: 'A multiple of 0.01.' },
    ],
    ['a large default is removed', { type: 'string', default: 'x'.repeat(300) }, { type: 'string' }],
    ['a small default is kept', { type: 'string', default: 'x' }, { type: 'string', default: 'x' }],
    ['a false default is kept', { type: 'boolean', default: false }, { type: 'boolean', default: false }],
    [
      'a few short examples are kept',
      { type: 'string', examples: ['a', 'y'.repeat(300), 'b', 'c', 'd'] },
      { type: 'string', examples: ['a', 'b', 'c'] },
    ],
    [
      'examples next to a list of values are removed',
      { type: 'string', enum: ['a'], examples: ['a'] },
      { type: 'string', enum: ['a'] },
    ],
    [
      'whitespace and control characters of texts are removed',
      { type: 'string', description: ' a\u0007\r\nb  c\u202e \n\n\n d ' },
      { type: 'string', description: 'a\nb c\n\nd' },
    ],
    [
      'a title that says more than a name becomes the text',
      { type: 'string', title: 'The day on which it begins' },
      { type: 'string', description: 'The day on which it begins' },
    ],
    ['a title that is a name is removed', { type: 'string', title: 'Start Date' }, { type: 'string' }],
    [
      'deprecation becomes text',
      { type: 'string', deprecated: true, description: 'Use y.' },
      { type: 'string', description: 'Deprecated. Use y.' },
    ],
    [
      'null or a string becomes a list of types',
      { anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }] },
      { type: ['string', 'null'], maxLength: 3 },
    ],
    [
      'null or a listed value allows null',
      { anyOf: [{ enum: ['a'] }, { type: 'null' }] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'plain types become a list',
      { oneOf: [{ type: 'string' }, { type: 'integer', description: 'Number.' }] },
      { type: ['string', 'integer'], description: 'Number.' },
    ],
    [
      'a single part is merged',
      { allOf: [{ type: 'string' }], description: 'D.' },
      { type: 'string', description: 'D.' },
    ],
    [
      'parts are merged',
      {
        allOf: [
          { type: 'number', minimum: 1, maximum: 9 },
          { type: 'integer', minimum: 3, enum: [1, 2, 3, 4] },
          { enum: [3, 5] },
        ],
      },
      { type: 'integer', enum: [3], minimum: 3, maximum: 9 },
    ],
    [
      'properties of parts are merged',
      { allOf: [{ properties: { a: { type: 'string' } } }, { properties: { a: { maxLength: 3 } }, required: ['a'] }] },
      { type: 'object', properties: { a: { type: 'string', maxLength: 3 } }, required: ['a'] },
    ],
    [
      'a part that closes the object closes the merged object',
      {
        allOf: [
          { properties: { a: {} }, additionalProperties: false },
          { properties: { b: {} }, additionalProperties: {} },
        ],
      },
      { type: 'object', properties: { a: {}, b: {} }, additionalProperties: false },
    ],
    [
      'values of a map are merged',
      { allOf: [{ additionalProperties: { type: 'string' } }, { additionalProperties: { maxLength: 3 } }] },
      { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } },
    ],
    [
      'parts that contradict each other are not merged',
      { allOf: [{ type: 'string', pattern: '^a' }, { pattern: 'b$' }] },
      { type: 'string', pattern: '^a', allOf: [{ pattern: 'b$' }] },
    ],
    [
      'a nested object keeps its additionalProperties',
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { not: {} } },
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
    ],
    [
      'a map keeps its values',
      { type: 'object', additionalProperties: { type: ['integer', 'null'] } },
      { type: 'object', additionalProperties: { type: ['integer', 'null'] } },
    ],
    [
      'an object with any members stays open',
      { type: 'object', additionalProperties: {} },
      { type: 'object', additionalProperties: {} },
    ],
    [
      'an implied type is not added to a condition',
      { type: 'string', not: { enum: ['a'] } },
      { type: 'string', not: { enum: ['a'] } },
    ],
    [
      'alternatives that overlap become anyOf',
      {
        oneOf: [
          { type: 'array', items: { type: 'string' } },
          { type: 'array', items: { type: 'integer' } },
        ],
      },
      {
        anyOf: [
          { type: 'array', items: { type: 'string' } },
          { type: 'array', items: { type: 'integer' } },
        ],
      },
    ],
    [
      'alternatives that exclude each other stay oneOf',
      { type: 'object', properties: { a: {}, b: {} }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      { type: 'object', properties: { a: {}, b: {} }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    ],
  ])('%s', (_title, schema, want) => {
    expect(published(schema).x).toEqual(want);
  });

  it('still reject invalid arguments', () => {
    const { accepts } = published({
      type: 'object',
      properties: { name: { type: 'string' }, date: { type: 'string', format: 'date' }, integer: { type: 'integer' } },
      required: ['name'],
      oneOf: [{ required: ['date'] }, { required: ['integer'] }],
    });
    expect(accepts({ name: 'a', integer: 1 })).toBe(true);
    expect(accepts({ name: 'a' })).toBe(false);
    expect(accepts({ name: 'a', integer: 1, date: '2026-01-01' })).toBe(false);
    expect(accepts({ name: 'a', date: 'tomorrow' })).toBe(false);
  });

  it('leave out null where the wire cannot carry it', () => {
    const nullable = { anyOf: [{ type: 'string', description: 'Cursor.' }, { type: 'null' }] };
    const { tool } = buildOne({
      parameters: [
        parameter('cursor', { schema: nullable, description: '' }),
        parameter('sort', { schema: { type: ['string', 'null'], enum: ['a', null] } }),
        parameter('part', { in: 'header', schema: { type: ['string', 'null'] } }),
      ],
    });
    expect(propertiesOf(tool.inputSchema)).toEqual({
      cursor: { type: 'string', description: 'Cursor.', minLength: 1 },
      sort: { type: 'string', description: 'The sort.', enum: ['a'] },
      part: { type: 'string', description: 'The part.', minLength: 1 },
    });
  });

  it('drop a pattern that does not compile, and report the place', () => {
    const { x, problems } = published({ type: 'string', pattern: '^[a-z\\-_]+$(?<' });
    expect(x).toEqual({ type: 'string' });
    expect(problems.filter(({ code }) => code === 'pattern-dropped')).toEqual([
      {
        code: 'pattern-dropped',
        file: 'specs/shop/openapi.yaml',
        pointer: '/body/content',
        message:
          'shop_list_things: x has the pattern ^[a-z\\-_]+$(?<, which is not a regular expression of ECMA-262 with the u flag.',
      },
    ]);
  });

  it('drop a pattern with too many states, and keep the length', () => {
    const { x, problems } = published({ type: 'string', pattern: '^(?:\\S{1,100}\\s?){0,10}$', maxLength: 3000 });
    expect(x).toEqual({ type: 'string', maxLength: 3000 });
    expect(problems.find(({ code }) => code === 'pattern-dropped')?.message).toContain(
      'which has about 2047 states with its counts written out (at most 500).',
    );
  });
});

describe('parts that accept more than the descriptor allows', () => {
  const named = { type: 'object', properties: { name: { type: 'string' } } };
  it.each<[string, Schema, Schema, unknown]>([
    [
      'turn the oneOf that they are in into anyOf',
      { oneOf: [{ oneOf: [named, named, { type: 'string' }] }, named] },
      { anyOf: [{ anyOf: [named, named, { type: 'string' }] }, named] },
      { name: 'a' },
    ],
    [
      'turn a oneOf of merged parts into anyOf',
      {
        oneOf: [
          { allOf: [named, { type: 'object', additionalProperties: { type: 'integer' } }], required: ['name'] },
          { ...named, required: ['name', 'id'] },
        ],
      },
      {
        anyOf: [
          { ...named, required: ['name'], additionalProperties: { type: 'integer' } },
          { ...named, required: ['name', 'id'] },
        ],
      },
      { name: 'a', id: 1 },
    ],
    ['are not rejected by a condition', { ...named, not: { oneOf: [named, named] } }, named, { name: 'a' }],
  ])('%s', (_title, given, want, value) => {
    const { x, accepts } = published(given);
    expect(x).toEqual(want);
    expect(accepts(value)).toBe(true);
  });
});

describe('references', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const large = {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`member_${index}`, { type: 'string', maxLength: 10 }]),
    ),
  };

  it('are inlined', () => {
    const { x, definitions } = published(
      { type: 'array', items: { ...ref('tag'), description: 'A tag.' } },
      { '#/components/schemas/tag': { type: 'string', description: 'Any.' } },
    );
    expect(x).toEqual({ type: 'array', items: { type: 'string', description: 'A tag.' } });
    expect(definitions).toBeUndefined();
  });

  it('that are circular become local definitions', () => {
    const { x, definitions, accepts } = published(
      { allOf: [ref('tree-node')], description: 'The root.' },
      {
        '#/components/schemas/tree-node': {
          type: 'object',
          properties: { children: { type: 'array', items: ref('tree-node') } },
        },
      },
    );
    expect(x).toEqual({ $ref: '#/$defs/TreeNode', description: 'The root.' });
    expect(definitions).toEqual({
      TreeNode: {
        type: 'object',
        properties: { children: { type: 'array', items: { $ref: '#/$defs/TreeNode' } } },
      },
    });
    expect(accepts({ children: [{ children: [] }] })).toBe(true);
    expect(accepts({ children: [{ children: 1 }] })).toBe(false);
  });

  it('that are circular through several schemas terminate', () => {
    const { definitions } = published(ref('A'), {
      '#/components/schemas/A': { type: 'object', properties: { b: ref('B') } },
      '#/components/schemas/B': { allOf: [ref('C'), { type: 'object', properties: { a: ref('A') } }] },
      '#/components/schemas/C': { type: 'object', properties: { b: ref('B') } },
    });
    expect(Object.keys(definitions ?? {})).toEqual(['A', 'B']);
  });

  it('with an additional description are kept as references', () => {
    const schemas = { '#/components/schemas/Large': large };
    const said = (text: string) => ({ allOf: [ref('Large'), { description: text }] });
    const { x, definitions } = published({ properties: { a: said('A.'), b: said('B.') } }, schemas);
    expect(x).toEqual({
      type: 'object',
      properties: { a: { $ref: '#/$defs/Large', description: 'A.' }, b: { $ref: '#/$defs/Large', description: 'B.' } },
    });
    expect(definitions).toEqual({ Large: large });
  });

  it('that inherit from their own parent terminate', () => {
    const { x, definitions } = published(ref('A'), {
      '#/components/schemas/A': {
        type: 'object',
        properties: { next: { allOf: [ref('A'), { properties: { more: { type: 'string' } } }] } },
      },
    });
    expect(x).toEqual({ $ref: '#/$defs/A' });
    expect(definitions).toEqual({
      A: {
        type: 'object',
        properties: {
          next: { type: 'object', properties: { more: { type: 'string' } }, allOf: [{ $ref: '#/$defs/A' }] },
        },
      },
    });
  });

  it('that only refer to one another allow anything', () => {
    const { x, definitions } = published(ref('A'), {
      '#/components/schemas/A': { allOf: [ref('B')], description: 'Never said.' },
      '#/components/schemas/B': ref('A'),
    });
    expect(x).toEqual({});
    expect(definitions).toBeUndefined();
  });

  it('to references resolve to the final schema', () => {
    const { x, definitions } = published(ref('Alias'), {
      '#/components/schemas/Alias': ref('Node'),
      '#/components/schemas/Node': { type: 'object', properties: { next: ref('Alias') } },
    });
    expect(x).toEqual({ $ref: '#/$defs/Node' });
    expect(definitions).toEqual({ Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } });
  });

  it('to a reference used twice to a large schema become one definition', () => {
    const schemas = { '#/components/schemas/Alias': ref('Large'), '#/components/schemas/Large': large };
    const { x, definitions } = published({ properties: { a: ref('Alias'), b: ref('Alias') } }, schemas);
    expect(x).toEqual({
      type: 'object',
      properties: { a: { $ref: '#/$defs/Alias' }, b: { $ref: '#/$defs/Alias' } },
    });
    expect(definitions).toEqual({ Alias: large });
  });

  it('whose only alternative is themselves terminate', () => {
    const only = { anyOf: [{ allOf: [ref('A')], minLength: 1 }] };
    const schemas = { '#/components/schemas/A': only };
    expect(() => published(ref('A'), schemas)).not.toThrow();
    expect(() => buildOne({ parameters: [parameter('q', { schema: ref('A') })] }, {}, { schemas })).not.toThrow();
    expect(() => buildOne({ method: 'POST', body: jsonBody(ref('A')) }, {}, { schemas })).not.toThrow();
    expect(() => buildOne({ responses: [answer(ref('A'))] }, {}, { schemas })).not.toThrow();
  });

  it('that inherit from themselves terminate', () => {
    const { x } = published(ref('A'), {
      '#/components/schemas/A': { allOf: [ref('A'), { type: 'object', properties: { a: { type: 'string' } } }] },
    });
    expect(x).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
  });

  it('to a large schema used twice become one local definition, and small ones do not', () => {
    const schemas = { '#/components/schemas/Large': large, '#/components/schemas/Small': { type: 'string' } };
    const { x, definitions } = published(
      { properties: { a: ref('Large'), b: ref('Large'), c: ref('Small'), d: ref('Small') } },
      schemas,
    );
    expect(x).toEqual({
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/Large' },
        b: { $ref: '#/$defs/Large' },
        c: { type: 'string' },
        d: { type: 'string' },
      },
    });
    expect(Object.keys(definitions ?? {})).toEqual(['Large']);
  });

  it('get different names where cleaned names collide', () => {
    const circle = (self: string) => ({ type: 'object', properties: { next: ref(self) } });
    const { definitions } = published(
      {
        properties: {
          a: ref('tree-node'),
          b: ref('TreeNode'),
          c: ref('名'),
          d: { $ref: '#/components/responses/Ok/content/application~1json/schema' },
        },
      },
      {
        '#/components/schemas/tree-node': circle('tree-node'),
        '#/components/schemas/TreeNode': circle('TreeNode'),
        '#/components/schemas/名': circle('名'),
        '#/components/responses/Ok/content/application~1json/schema': {
          type: 'object',
          properties: { again: { $ref: '#/components/responses/Ok/content/application~1json/schema' } },
        },
      },
    );
    expect(Object.keys(definitions ?? {})).toEqual(['ApplicationJson', 'Schema', 'TreeNode', 'TreeNode2']);
  });

  it('are not recognised in names and values', () => {
    const { x } = published({
      type: 'object',
      properties: { $ref: { type: 'string', enum: ['#/nowhere'] } },
      default: { $ref: '#/nowhere' },
    });
    expect(x).toEqual({
      type: 'object',
      default: { $ref: '#/nowhere' },
      properties: { $ref: { type: 'string', enum: ['#/nowhere'] } },
    });
  });

  it('keep members named like object methods', () => {
    const properties = JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "string"}}') as Schema;
    const { x } = published({ type: 'object', properties });
    expect(JSON.stringify(x)).toBe(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
    );
  });
});
