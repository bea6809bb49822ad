import { describe, expect, test } from 'vitest';
import { emitConnector, emitIndex } from '../../../codegen/emit/index.ts';
import type { WirePlace } from '../../../codegen/tools/call-model.ts';
import type { ToolModel } from '../../../codegen/tools/types.ts';
import { compileGenerated } from '../compile.ts';
import { argument, connector, document, tool } from './fixtures.ts';

const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const JSON_TYPE = 'application/json';

const inBody = (name: string | null): WirePlace => ({ in: 'body', mediaType: JSON_TYPE, name });
const arg = (name: string) => ({ kind: 'argument', name }) as const;
const jsonBody = (schema: unknown, required = true) => ({ required, content: { [JSON_TYPE]: { schema } } });

async function compile(tools: readonly ToolModel[], descriptor: unknown): Promise<string[]> {
  const files = await emitConnector(connector({ tools }), descriptor);
  return compileGenerated([...files, emitIndex(['notes'])]);
}

const BODY_TOOL = (required: boolean) =>
  tool({
    name: 'notes_update',
    operation: { method: 'PATCH', path: '/notes/{id}' },
    arguments: [
      argument('id', { required: true, wire: { in: 'path', name: 'id' } }),
      argument('text', { wire: inBody('text') }),
      argument('pinned', { schema: { type: 'boolean' }, wire: inBody('pinned') }),
    ],
    call: {
      path: [{ wireName: 'id', value: arg('id') }],
      body: {
        kind: 'members',
        mediaType: JSON_TYPE,
        required,
        members: [
          { wireName: 'text', value: arg('text') },
          { wireName: 'pinned', value: arg('pinned') },
        ],
      },
    },
  });

const text = { type: 'string' };
const pinned = { type: 'boolean' };
const extra = { type: 'object', properties: { other: text } };

const BODIES: [title: string, schema: unknown][] = [
  ['an object', { type: 'object', properties: { text, pinned } }],
  ['an object with additional members', { type: 'object', properties: { text, pinned }, additionalProperties: true }],
  ['an object with additional strings', { type: 'object', properties: { text, pinned }, additionalProperties: text }],
  ['an object or null', { type: ['object', 'null'], properties: { text, pinned } }],
  [
    'allOf',
    {
      allOf: [
        { type: 'object', properties: { text } },
        { type: 'object', properties: { pinned } },
      ],
    },
  ],
  [
    'oneOf with required members',
    {
      oneOf: [
        { type: 'object', properties: { text }, required: ['text'] },
        { type: 'object', properties: { pinned }, required: ['pinned'] },
      ],
    },
  ],
  [
    'oneOf an object or a list',
    {
      oneOf: [
        { type: 'object', properties: { text, pinned } },
        { type: 'array', items: text },
      ],
    },
  ],
  [
    'properties next to anyOf with only required',
    { type: 'object', properties: { text, pinned }, anyOf: [{ required: ['text'] }, { required: ['pinned'] }] },
  ],
  [
    'properties next to oneOf that adds members',
    { type: 'object', properties: { text, pinned }, oneOf: [{ required: ['text'] }, extra] },
  ],
  ['a reference', { $ref: '#/components/schemas/Note' }],
  [
    'a required read-only member',
    { type: 'object', properties: { text, pinned, id: { type: 'string', readOnly: true } }, required: ['id'] },
  ],
  ['a part of a discriminated union', { $ref: '#/components/schemas/Kind' }],
  ['members with defaults', { $ref: '#/components/schemas/Defaults' }],
];

const COMPONENTS = {
  components: {
    schemas: {
      Note: {
        type: 'object',
        properties: { text, pinned, parent: { $ref: '#/components/schemas/Note' } },
      },
      Titled: { type: 'object', properties: { text }, required: ['text'] },
      Kind: { allOf: [{ $ref: '#/components/schemas/Kinds' }] },
      Kinds: {
        oneOf: [{ $ref: '#/components/schemas/Plain' }, { $ref: '#/components/schemas/Pinned' }],
        discriminator: { propertyName: 'kind', mapping: { plain: '#/components/schemas/Plain' } },
      },
      Plain: { type: 'object', properties: { kind: text, text } },
      Pinned: { type: 'object', properties: { kind: text, pinned } },
      Defaults: {
        type: 'object',
        properties: { text: { type: 'string', default: '' }, pinned: { type: 'boolean', default: false } },
      },
    },
  },
};

const DEMANDING_BODIES: [title: string, schema: unknown][] = [
  ['an object with a required member', { type: 'object', properties: { text, pinned }, required: ['text', 'pinned'] }],
  [
    'allOf with a part that requires a member',
    { allOf: [{ $ref: '#/components/schemas/Titled' }, { type: 'object', properties: { pinned } }] },
  ],
];

test('a call compiles without the parameters that the credential provides', async () => {
  const q = { name: 'q', in: 'query', required: true, schema: { type: 'string' } };
  const given = document(
    {
      '/notes': { parameters: [{ $ref: '#/components/parameters/Key' }], get: {} },
      '/found': {
        get: { parameters: [q, { $ref: '#/components/parameters/Key' }, { ...q, name: 'x-tenant', in: 'header' }] },
      },
    },
    { components: { parameters: { Key: { ...q, name: 'key' } } } },
  );
  const parts = [
    { id: 'key', type: 'query', label: 'Key', name: 'key' },
    { id: 'tenant', type: 'header', label: 'Tenant', name: 'X-Tenant' },
  ] as const;
  const found = tool({
    name: 'notes_find',
    operation: { path: '/found' },
    arguments: [argument('q', { required: true })],
    call: { query: [{ wireName: 'q', value: arg('q') }] },
  });
  const files = await emitConnector(
    connector({ tools: [tool(), found], credential: { parts, help: '', url: null } }),
    given,
  );
  expect(compileGenerated([...files, emitIndex(['notes'])])).toEqual([]);
});

describe('emitted bodies', () => {
  test.each(DEMANDING_BODIES)('compile where an optional body is %s', async (_, schema) => {
    const given = document(
      { '/notes/{id}': { patch: { parameters: [ID], requestBody: jsonBody(schema, false) } } },
      COMPONENTS,
    );
    const drifted = JSON.parse(JSON.stringify(given).replaceAll('"pinned"', '"starred"'));
    expect(await compile([BODY_TOOL(false)], given)).toEqual([]);
    expect(await compile([BODY_TOOL(false)], drifted)).not.toEqual([]);
  });

  test.each(BODIES)('compile where the body is %s', async (_, schema) => {
    const required = document(
      { '/notes/{id}': { patch: { parameters: [ID], requestBody: jsonBody(schema) } } },
      COMPONENTS,
    );
    const optional = document(
      { '/notes/{id}': { patch: { parameters: [ID], requestBody: jsonBody(schema, false) } } },
      COMPONENTS,
    );
    expect(await compile([BODY_TOOL(true)], required)).toEqual([]);
    expect(await compile([BODY_TOOL(false)], optional)).toEqual([]);
  });

  test.each(BODIES)('fail to compile without a member where the body is %s', async (_, schema) => {
    const drifted = JSON.parse(
      JSON.stringify(
        document({ '/notes/{id}': { patch: { parameters: [ID], requestBody: jsonBody(schema) } } }, COMPONENTS),
      ).replaceAll('"pinned"', '"starred"'),
    );
    const errors = await compile([BODY_TOOL(true)], drifted);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.every((error) => error.startsWith('generated/notes/tools/notes-update.ts '))).toBe(true);
  });
});
