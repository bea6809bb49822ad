import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../../codegen/model/types.ts';
import { answer, build, buildOne, operation, parameter, propertiesOf, service } from '../service.ts';

function published(schema: Schema, schemas: Readonly<Record<string, Schema>> = {}): Schema {
  return buildOne({ responses: [answer(schema)] }, {}, { schemas }).tool.outputSchema;
}

function property(schema: Schema, schemas: Readonly<Record<string, Schema>> = {}): Schema | undefined {
  return propertiesOf(published({ type: 'object', properties: { x: schema } }, schemas)).x;
}

describe('published answers', () => {
  it.each<[string, Schema, Schema]>([
    ['a string may be null', { type: 'string' }, {}],
    ['bounds, formats and patterns are removed', { type: 'string', format: 'uuid', pattern: '^a', minLength: 3 }, {}],
    ['listed values become text', { type: 'string', enum: ['a', 'b', null] }, { description: 'Known values: a, b.' }],
    ['a constant becomes text', { const: 'card', description: 'Kind' }, { description: 'Kind. Known value: card.' }],
    [
      'many listed values are shortened',
      { type: 'string', enum: Array.from({ length: 90 }, (_, index) => `value${index}`) },
      {
        description: expect.stringMatching(/^Such as value0, .*value\d+\.$/) as unknown as string,
      },
    ],
    ['several scalar types are kept', { type: ['integer', 'string'] }, { type: ['integer', 'string', 'null'] }],
    [
      'an object requires nothing and stays open',
      { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false },
      { properties: { a: { type: ['integer', 'null'] } } },
    ],
    [
      'a map keeps its values',
      { type: 'object', additionalProperties: { type: 'integer' } },
      { additionalProperties: { type: ['integer', 'null'] } },
    ],
    [
      'an object with named and typed additional members stays open',
      { type: 'object', properties: { a: {} }, additionalProperties: { type: 'integer' } },
      { properties: { a: {} } },
    ],
    ['an array has open items', { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 }, { items: {} }],
    ['an array without items gets open items', { type: 'array' }, { items: {} }],
    ['a tuple becomes open items', { type: 'array', prefixItems: [{ type: 'string' }] }, { items: {} }],
    ['a schema that allows anything is kept', { description: 'Whatever.' }, { description: 'Whatever.' }],
    ['only null becomes anything', { type: 'null' }, {}],
    ['null or a string', { anyOf: [{ type: 'string' }, { type: 'null' }] }, {}],
    [
      'alternative scalars',
      { oneOf: [{ type: 'string' }, { type: 'boolean' }] },
      { type: ['string', 'boolean', 'null'] },
    ],
    [
      'alternative objects have the members of all',
      {
        oneOf: [
          { properties: { kind: { const: 'a' }, a: { type: 'string' } } },
          { properties: { kind: { const: 'b' }, b: { type: 'integer' } } },
        ],
      },
      {
        properties: {
          kind: {},
          a: {},
          b: { type: ['integer', 'null'] },
        },
      },
    ],
    [
      'members of different kinds stay open and list the kinds',
      { anyOf: [{ properties: { v: { type: 'string' } } }, { properties: { v: { type: 'array', items: {} } } }] },
      { properties: { v: { description: 'A string or an array.' } } },
    ],
    [
      'alternatives of different kinds stay open and list the kinds',
      { anyOf: [{ type: 'string' }, { type: 'object' }] },
      { description: 'A string or an object.' },
    ],
    [
      'alternatives that only require members change nothing',
      { type: 'object', properties: { a: { type: 'string' } }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      { properties: { a: {} } },
    ],
    [
      'parts are merged',
      {
        allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: { type: 'string' } } }],
      },
      { properties: { a: {}, b: {} } },
    ],
    [
      'write-only members are left out',
      { type: 'object', properties: { a: { type: 'string' }, password: { type: 'string', writeOnly: true } } },
      { properties: { a: {} } },
    ],
    [
      'long texts are cut',
      { type: 'string', description: `${'word '.repeat(50)}end.` },
      { description: expect.stringMatching(/^(word )+word…$/) as unknown as string },
    ],
  ])('%s', (_title, schema, want) => {
    expect(property(schema)).toEqual(want);
  });

  it('have an object at the root', () => {
    expect(
      published({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'], description: 'A thing.' }),
    ).toEqual({
      type: 'object',
      properties: { a: {} },
    });
  });

  it('wrap an array', () => {
    const { tool } = buildOne({
      responses: [answer({ type: 'array', items: { type: 'object', properties: { a: {} } } })],
    });
    expect(tool.outputSchema).toEqual({
      type: 'object',
      properties: { items: { items: { properties: { a: {} } } } },
    });
    expect(tool.result.wrapItems).toBe(true);
  });

  it.each<[string, Parameters<typeof answer>[]]>([
    ['there is no answer', []],
    ['the answer has no body', [[null, '204']]],
    ['the answer is not JSON', [[{ type: 'string' }, '200', 'text/plain']]],
    ['only failures have an answer', [[{ type: 'object', properties: { error: {} } }, '404']]],
    ['the answer is a JSON string', [[{ type: 'string' }]]],
    ['the answer may be anything', [[{}]]],
  ])('are open where %s', (_title, answers) => {
    const { tool } = buildOne({ responses: answers.map((parts) => answer(...parts)) });
    expect(tool.outputSchema).toEqual({ type: 'object' });
    expect(tool.result.wrapItems).toBe(false);
  });

  it('unite all 2xx JSON answers', () => {
    const { tool } = buildOne({
      responses: [
        answer({ type: 'object', properties: { metadata: { type: 'object' }, id: { type: 'string' } } }),
        answer({ type: 'object', properties: { status: { type: 'string' }, id: { type: 'integer' } } }, '202'),
        answer({ type: 'object', properties: { error: { type: 'string' } } }, '400'),
        answer({ type: 'object', properties: { more: { type: 'string' } } }, '2XX', 'application/hal+json'),
      ],
    });
    expect(propertiesOf(tool.outputSchema)).toEqual({
      metadata: { additionalProperties: {} },
      id: { type: ['string', 'integer', 'null'] },
      status: {},
      more: {},
    });
  });

  it('keep circular schemas as local definitions', () => {
    const node = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
      },
    };
    expect(published({ $ref: '#/components/schemas/Node' }, { '#/components/schemas/Node': node })).toEqual({
      type: 'object',
      properties: {
        name: {},
        children: { items: { $ref: '#/$defs/Node' } },
      },
      $defs: {
        Node: {
          properties: {
            name: {},
            children: { items: { $ref: '#/$defs/Node' } },
          },
        },
      },
    });
  });

  it('of circular alternatives terminate', () => {
    const either = {
      oneOf: [
        { $ref: '#/components/schemas/Either' },
        { type: 'object', properties: { a: { $ref: '#/components/schemas/Either' } } },
      ],
    };
    expect(() =>
      published(
        { properties: { e: { $ref: '#/components/schemas/Either' } } },
        { '#/components/schemas/Either': either },
      ),
    ).not.toThrow();
  });

  const members = (count: number, member: Schema): Schema => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`member_${index}`, member])),
  });

  it('that are too long first lose their texts', () => {
    const schema = published(members(100, { type: 'string', description: 'w'.repeat(150) }));
    expect(propertiesOf(schema).member_99).toEqual({});
  });

  it('that are much too long keep their upper levels', () => {
    const schema = published({
      type: 'object',
      properties: {
        id: { type: 'string' },
        huge: members(40, members(40, { type: 'string' })),
        small: members(2, { type: 'string' }),
      },
    });
    expect(JSON.stringify(schema).length).toBeLessThanOrEqual(8_000);
    expect(propertiesOf(schema).id).toEqual({});
    expect(Object.keys(propertiesOf(propertiesOf(schema).huge ?? {}))).toHaveLength(40);
    expect(propertiesOf(schema).small).toEqual({
      properties: { member_0: {}, member_1: {} },
    });
  });

  it('with more members than fit stay open', () => {
    expect(published(members(1000, { type: 'string' }))).toEqual({ type: 'object' });
  });

  it('accept anything that an upstream adds', () => {
    const schema = published({
      type: 'object',
      properties: {
        status: { type: 'string', enum: ['on'] },
        owner: {
          type: 'object',
          properties: { id: { type: 'string', format: 'uuid' } },
          required: ['id'],
          additionalProperties: false,
        },
        tags: { type: 'array', maxItems: 1, items: { type: 'string' } },
      },
      required: ['status', 'owner'],
      additionalProperties: false,
    });
    const accepts = new Ajv2020({ strict: false }).compile(schema);
    expect(accepts({ status: 'new', owner: { id: 'x', extra: 1 }, tags: ['a', null, 'c'], added: {} })).toBe(true);
    expect(accepts({ status: null })).toBe(true);
    expect(accepts({})).toBe(true);
  });
});

describe('page rules', () => {
  const list = {
    type: 'object',
    properties: {
      data: { type: 'array', items: {} },
      pagination: { type: 'object', properties: { next_cursor: { type: 'string' } } },
      has_more: { type: 'boolean' },
    },
  };
  const paged = operation({ id: 'list', path: '/list', parameters: [parameter('cursor')], responses: [answer(list)] });
  const single = operation({ id: 'get', path: '/get', responses: [answer(list)] });
  const rule = { argument: 'cursor', next: '/pagination/next_cursor', more: '/has_more' };

  it('apply to every tool that has the argument, and are published', () => {
    const { connector, codes } = build(service([paged, single]), { pagination: rule });
    expect(codes).toEqual([]);
    const [get, page] = connector.tools;
    expect(get?.page).toBeNull();
    expect(propertiesOf(get?.outputSchema ?? {}).page).toBeUndefined();
    expect(page?.page).toEqual({
      argument: 'cursor',
      next: '/pagination/next_cursor',
      queryParameter: null,
      more: '/has_more',
    });
    expect(propertiesOf(page?.outputSchema ?? {}).page).toEqual({
      properties: {
        nextArguments: {
          additionalProperties: {},
        },
      },
    });
  });

  it('of a tool replace those of the service', () => {
    const own = (pagination: object | null) => ({
      pagination: rule,
      tools: { shop_list: { operation: 'list', pagination } },
    });
    const url = { argument: 'cursor', next: '/pagination/next_cursor', queryParameter: 'cursor' };
    expect(build(service([paged]), own(url)).tool.page).toEqual({ ...url, more: null });
    expect(
      build(service([paged, { ...paged, id: 'again', path: '/again' }]), own(null)).connector.tools.map(
        ({ page }) => page === null,
      ),
    ).toEqual([false, true]);
  });

  it('are not checked where the answer has no schema', () => {
    const free = operation({ parameters: [parameter('cursor')], responses: [answer({ type: 'object' })] });
    expect(build(service([free]), { pagination: rule }).codes).toEqual([]);
  });

  it.each<[string, object, string, string]>([
    [
      'a cursor that no answer has',
      { ...rule, next: '/pagination/nextCursor' },
      '/pagination/next',
      'Did you mean next_cursor?',
    ],
    ['a flag that no answer has', { ...rule, more: '/hasMore' }, '/pagination/more', 'Did you mean has_more?'],
    ['an argument that no tool has', { ...rule, argument: 'cursr' }, '/pagination/argument', 'Did you mean cursor?'],
  ])('report %s', (_title, pagination, pointer, fix) => {
    const { problems } = build(service([paged]), { pagination });
    expect(problems.map((problem) => [problem.code, problem.pointer, problem.fix])).toEqual([
      ['config-pagination', pointer, fix],
    ]);
  });

  it('of a tool report an argument that it does not have', () => {
    const { problems } = build(service([single]), { tools: { shop_get: { operation: 'get', pagination: rule } } });
    expect(problems.map(({ code, pointer }) => [code, pointer])).toEqual([
      ['config-pagination', '/tools/shop_get/pagination/argument'],
    ]);
  });

  it('report an answer that has its own page member', () => {
    const taken = { type: 'object', properties: { ...list.properties, page: { type: 'integer' } } };
    const { codes } = build(service([{ ...paged, responses: [answer(taken)] }]), { pagination: rule });
    expect(codes).toEqual(['config-pagination']);
  });
});

describe('rows', () => {
  const table = {
    type: 'object',
    properties: {
      datatable: {
        type: 'object',
        properties: {
          data: { type: 'array', items: { type: 'array', items: {} } },
          columns: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
        },
      },
    },
  };
  const schemas = { '#/components/schemas/Page': table };
  const withRows = (rows: object) =>
    buildOne(
      { responses: [answer({ $ref: '#/components/schemas/Page' })] },
      { tools: { shop_rows: { operation: 'listThings', rows } } },
      { schemas },
    );

  it('become objects', () => {
    const { tool, codes } = withRows({ columns: '/datatable/columns', rows: '/datatable/data' });
    expect(codes).toEqual([]);
    expect(tool.result.rows).toEqual({ columns: '/datatable/columns', columnName: '/name', rows: '/datatable/data' });
    expect(propertiesOf(propertiesOf(tool.outputSchema).datatable ?? {}).data).toEqual({
      description: 'One object a row, keyed by column name.',
      items: { additionalProperties: {} },
    });
  });

  it.each([
    ['rows', { columns: '/datatable/columns', rows: '/datatable/dta' }, '/tools/shop_rows/rows/rows'],
    ['columns', { columns: '/datatable/column', rows: '/datatable/data' }, '/tools/shop_rows/rows/columns'],
    [
      'column names',
      { columns: '/datatable/columns', columnName: '/title', rows: '/datatable/data' },
      '/tools/shop_rows/rows/columnName',
    ],
  ])('report %s that the answer does not have', (_title, rows, pointer) => {
    const { problems } = withRows(rows);
    expect(problems.map((problem) => [problem.code, problem.pointer])).toContainEqual(['config-rows', pointer]);
  });
});
