import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../../codegen/model/types.ts';
import { buildOne, jsonBody, parameter, propertiesOf } from '../service.ts';

const name = { type: 'string', description: 'Name.' };
const price = { type: 'integer', description: 'Price.' };

function withBody(schema: Schema, over: Parameters<typeof jsonBody>[1] = {}, schemas = {}) {
  return buildOne({ id: 'create', method: 'POST', body: jsonBody(schema, over) }, {}, { schemas });
}

describe('request bodies', () => {
  it.each<[string, Schema, readonly string[], readonly string[]]>([
    ['an object', { type: 'object', properties: { name, price }, required: ['name'] }, ['name', 'price'], ['name']],
    ['an object with only properties', { properties: { name } }, ['name'], []],
    ['a closed object', { type: 'object', properties: { name }, additionalProperties: false }, ['name'], []],
    [
      'a closed object after normalization',
      { type: 'object', properties: { name }, additionalProperties: { not: {} } },
      ['name'],
      [],
    ],
    ['a nullable object', { type: ['object', 'null'], properties: { name } }, ['name'], []],
    ['a reference', { $ref: '#/components/schemas/Thing' }, ['name', 'price'], ['price']],
    [
      'allOf',
      { allOf: [{ $ref: '#/components/schemas/Thing' }, { properties: { size: price }, required: ['size'] }] },
      ['price', 'size', 'name'],
      ['price', 'size'],
    ],
    ['a single alternative', { oneOf: [{ type: 'object', properties: { name } }] }, ['name'], []],
    ['an object or null', { anyOf: [{ type: 'object', properties: { name } }, { type: 'null' }] }, ['name'], []],
  ])('of %s become one argument per member', (_title, schema, names, required) => {
    const thing = { type: 'object', properties: { name, price }, required: ['price'] };
    const { tool, codes } = withBody(schema, {}, { '#/components/schemas/Thing': thing });
    expect(tool.call.body.kind).toBe('members');
    expect(tool.arguments.map((argument) => argument.name).toSorted()).toEqual(names.toSorted());
    expect([...(tool.inputSchema.required as string[])].toSorted()).toEqual(required.toSorted());
    expect(codes).toEqual([]);
  });

  it.each<[string, Schema]>([
    ['an array', { type: 'array', items: { type: 'string' } }],
    ['a string', { type: 'string' }],
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }],
    ['an object with any members', { type: 'object' }],
    ['an object that allows additional members', { type: 'object', properties: { name }, additionalProperties: {} }],
    [
      'an object with typed additional members',
      { type: 'object', properties: { name }, additionalProperties: { type: 'string' } },
    ],
    ['an object with named patterns', { type: 'object', properties: { name }, patternProperties: { '^x-': {} } }],
    ['an object with a condition', { type: 'object', properties: { name }, not: { required: ['name'] } }],
    ['a required member without a schema', { type: 'object', properties: { name }, required: ['other'] }],
    ['any value', {}],
  ])('of %s become the argument body', (_title, schema) => {
    const { tool } = withBody(schema);
    expect(tool.arguments.map(({ name: argument, required }) => [argument, required])).toEqual([['body', true]]);
    expect(tool.arguments[0]?.wire).toEqual({ in: 'body', mediaType: 'application/json', name: null });
    expect(tool.call.body).toEqual({
      kind: 'whole',
      mediaType: 'application/json',
      required: true,
      value: { kind: 'argument', name: 'body' },
    });
  });

  it('of an empty closed object take no arguments', () => {
    const { tool } = withBody({ type: 'object', properties: {}, additionalProperties: false });
    expect(tool.arguments).toEqual([]);
    expect(tool.call.body).toEqual({ kind: 'members', mediaType: 'application/json', required: true, members: [] });
  });

  it.each<[string, Schema, string]>([
    [
      'exactly one',
      { properties: { a: name, b: name, c: name }, oneOf: [{ required: ['a'] }, { required: ['b', 'c'] }] },
      'Create.\n\nGive exactly one of: a; b and c.',
    ],
    [
      'at least one',
      {
        properties: { a_x: name, b: name },
        anyOf: [{ required: ['a_x'] }, { properties: { b: {} }, required: ['b'] }],
      },
      'Create.\n\nGive at least one of: aX; b.',
    ],
    [
      'some member',
      { type: 'object', properties: { a: name, b: name }, minProperties: 1 },
      'Create.\n\nGive at least one of: a; b.',
    ],
  ])('that require %s of their members stay flat and mention it', (_title, schema, want) => {
    const { tool, codes } = buildOne({
      method: 'POST',
      summary: 'Create',
      body: jsonBody({ type: 'object', ...schema }),
    });
    expect(tool.call.body.kind).toBe('members');
    expect(tool.description).toBe(want);
    expect(tool.inputSchema.required).toEqual([]);
    expect(codes).toEqual([]);
  });

  it('with real alternatives are nested, mention it and are reported', () => {
    const schemas = {
      '#/components/schemas/Card': {
        type: 'object',
        properties: { number: name, cvc: name },
        required: ['number', 'cvc'],
      },
    };
    const iban = { type: 'object', title: 'Bank account', properties: { iban: name }, required: ['iban'] };
    const { tool, problems } = withBody({ oneOf: [{ $ref: '#/components/schemas/Card' }, iban] }, {}, schemas);
    expect(tool.inputSchema.oneOf).toBeUndefined();
    expect(propertiesOf(tool.inputSchema).body).toEqual({
      description: 'Exactly one of these forms: Card (number, cvc); Bank account (iban).',
      oneOf: [
        { type: 'object', properties: { number: name, cvc: name }, required: ['number', 'cvc'] },
        { type: 'object', description: 'Bank account', properties: { iban: name }, required: ['iban'] },
      ].map(({ description: _, ...variant }) => variant),
    });
    expect(problems).toEqual([
      {
        code: 'body-ambiguous',
        file: 'specs/shop/openapi.yaml',
        pointer: '/body/content',
        message: 'The request body of POST /things has several forms, and became one argument.',
      },
    ]);
  });

  const OPTIONAL = {
    method: 'POST',
    summary: 'Create',
    body: jsonBody({ type: 'object', properties: { a: name, b: name }, required: ['a'] }, { required: false }),
  } as const;

  it('that are optional keep their required members', () => {
    const { tool } = buildOne(OPTIONAL);
    expect(tool.inputSchema.required).toEqual(['a']);
    expect(tool.call.body).toMatchObject({ kind: 'members', required: true });
    expect(tool.description).toBe('Create.');
  });

  it.each<[string, Schema, string[]]>([
    ['that is one argument and requires members', { oneOf: [{ required: ['a'] }, { required: ['b'] }] }, ['body']],
    ['that may be empty', { oneOf: [{ required: ['a'] }, { maxProperties: 3 }] }, []],
    ['whose required members are read-only', { properties: { a: { readOnly: true } }, required: ['a'] }, []],
  ])('makes an optional body required according to its schema: %s', (_title, schema, required) => {
    const body = jsonBody({ type: 'object', additionalProperties: name, ...schema }, { required: false });
    expect(buildOne({ method: 'POST', body }).tool.inputSchema.required).toEqual(required);
  });

  it('leave out read-only members, at every depth', () => {
    const readOnly = { type: 'string', readOnly: true };
    const { tool } = withBody(
      {
        type: 'object',
        properties: {
          id: readOnly,
          stamp: { $ref: '#/components/schemas/Stamp' },
          owner: {
            type: 'object',
            description: 'Owner.',
            properties: { id: readOnly, name },
            required: ['id', 'name'],
          },
          lines: { type: 'array', description: 'Lines.', items: { allOf: [{ properties: { id: readOnly, name } }] } },
        },
        required: ['id', 'owner'],
      },
      {},
      { '#/components/schemas/Stamp': readOnly },
    );
    expect(tool.inputSchema).toEqual({
      type: 'object',
      properties: {
        owner: { type: 'object', description: 'Owner.', properties: { name }, required: ['name'] },
        lines: { type: 'array', description: 'Lines.', items: { type: 'object', properties: { name } } },
      },
      required: ['owner'],
      additionalProperties: false,
    });
  });

  it.each([
    ['application/merge-patch+json', 'application/merge-patch+json'],
    ['application/vnd.shop.v2+json; charset=utf-8', 'application/vnd.shop.v2+json; charset=utf-8'],
    ['Application/JSON', 'Application/JSON'],
  ])('are sent as %s', (mediaType, want) => {
    const { tool } = withBody({ type: 'object', properties: { name } }, { mediaType });
    expect(tool.call.body).toMatchObject({ kind: 'members', mediaType: want });
  });

  it('prefer application/json and report another JSON type with a different schema', () => {
    const content = (mediaType: string, schema: Schema) => ({
      mediaType,
      schema,
      pointer: `/${mediaType}`,
    });
    const body = jsonBody(
      {},
      {
        contents: [
          content('application/vnd.api+json', { type: 'object', properties: { data: name } }),
          content('text/plain', { type: 'string' }),
          content('application/json', { type: 'object', properties: { name } }),
        ],
      },
    );
    const { tool, codes } = buildOne({ method: 'POST', body });
    expect(tool.arguments.map((argument) => argument.name)).toEqual(['name']);
    expect(codes).toEqual(['body-ambiguous']);
  });

  it('of a GET are left out with a warning where they are optional', () => {
    const { tool, codes } = buildOne({ body: jsonBody({ type: 'object', properties: { name } }, { required: false }) });
    expect(tool.call.body).toEqual({ kind: 'none' });
    expect(codes).toEqual(['parameter-left-out']);
  });
});

describe('an unsupported operation', () => {
  const multipart = { mediaType: 'multipart/mixed' };
  it.each<[string, Parameters<typeof buildOne>[0], string]>([
    [
      'a cookie whose name is not a token',
      { parameters: [parameter('s id', { in: 'cookie', required: true })] },
      'needs the cookie "s id", whose name is no token of HTTP',
    ],
    [
      'a header whose name is not a token',
      { parameters: [parameter('X:Id', { in: 'header', required: true })] },
      'needs the header "X:Id", whose name is no token of HTTP',
    ],
    [
      'a parameter in a media type that is neither JSON nor text',
      { parameters: [parameter('q', { mediaType: 'application/xml', required: true })] },
      'needs the parameter q as application/xml',
    ],
    [
      'an object as text',
      { parameters: [parameter('q', { mediaType: 'text/csv', required: true, schema: { type: 'object' } })] },
      'needs an array or object in the parameter q as text/csv',
    ],
    [
      'an unknown style',
      { parameters: [parameter('q', { style: 'bracket', required: true })] },
      'needs the style bracket of the parameter q',
    ],
    [
      'a style of another place',
      { path: '/{q}', parameters: [parameter('q', { in: 'path', style: 'form' })] },
      'needs the style form of the parameter q',
    ],
    [
      'nested values in a required header',
      {
        parameters: [
          parameter('q', { in: 'header', required: true, schema: { type: 'array', items: { type: 'object' } } }),
        ],
      },
      'needs nested values in the header parameter q, whose commas nothing escapes',
    ],
    ['a path variable without a parameter', { path: '/things/{id}' }, 'has no parameter for {id} of its path'],
    [
      'a multipart body that is not a form',
      { method: 'POST', body: jsonBody({}, multipart) },
      'needs a request body as multipart/mixed; of the multipart types only multipart/form-data can be written',
    ],
    ['a body with GET', { body: jsonBody({ type: 'object' }) }, 'needs a request body with GET'],
    ['TRACE', { method: 'TRACE' }, 'needs the method TRACE, which no client can send'],
  ])('is reported for %s', (_title, over, reason) => {
    const { connector, problems } = buildOne(over);
    expect(connector.tools).toEqual([]);
    expect(connector.notExposed).toEqual([
      {
        method: over.method ?? 'GET',
        path: over.path ?? '/things',
        id: 'listThings',
        reason: `Not supported yet: it ${reason}.`,
        by: 'codegen',
      },
    ]);
    expect(problems.filter(({ code }) => code === 'operation-refused')).toHaveLength(1);
  });

  it('is an error where connector.yaml defines a tool for it', () => {
    const { problems } = buildOne(
      { method: 'POST', body: jsonBody({}, multipart) },
      { tools: { shop_upload: { operation: 'listThings' } } },
    );
    expect(problems.map(({ code, pointer }) => [code, pointer])).toContainEqual([
      'config-tool-refused',
      '/tools/shop_upload',
    ]);
  });

  it('is not reported where connector.yaml excludes it', () => {
    const { connector, codes } = buildOne(
      { method: 'POST', body: jsonBody({}, multipart) },
      { notExposed: { listThings: 'Uploads are not for models.' } },
    );
    expect(codes).toEqual([]);
    expect(connector.notExposed).toMatchObject([{ reason: 'Uploads are not for models.', by: 'connector.yaml' }]);
  });

  it.each([
    [
      'nested values in a header',
      parameter('q', { in: 'header', schema: { type: 'object', additionalProperties: { type: 'array' } } }),
    ],
    ['a media type that is neither JSON nor text', parameter('q', { mediaType: 'application/xml' })],
    ['a cookie whose name is not a token', parameter('a;b', { in: 'cookie' })],
    ['a header of the connection', parameter('Expect', { in: 'header' })],
  ])('is avoided by leaving out %s where optional, with a warning that omit silences', (_title, unwritable) => {
    const over = { parameters: [unwritable, parameter('page')] };
    const { tool, codes } = buildOne(over);
    expect(tool.arguments.map((argument) => argument.name)).toEqual(['page']);
    expect(codes).toEqual(['parameter-left-out']);
  });
});
