import { describe, expect, test } from 'vitest';
import { createTokenCounter } from '../../../codegen/emit/tool-size.ts';
import { FULL_PERMISSION } from '../../../server/base/principal/permission.ts';
import { createCatalogue } from '../../../server/call/tools/catalogue/catalogue.ts';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import { asLean } from '../../../shared/search/lean.ts';
import { accessTo } from '../../support/access.ts';
import { fakeConnector, fakeTool } from '../../support/fake-connector.ts';

const TOOL = {
  name: 'library_list_people',
  title: 'List people of a library',
  description: 'Lists people.',
  inputSchema: {
    type: 'object',
    properties: {
      cursor: { type: 'string', description: 'From page.nextArguments; omit for the first page.', minLength: 1 },
      ids: { type: 'array', items: { type: 'integer', format: 'int64', minimum: 1 } },
      since: { type: 'string', format: 'date' },
    },
    required: [],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
};

const lineOf = (outputSchema: object) =>
  asLean({ ...TOOL, outputSchema: outputSchema as Record<string, unknown> }).description.split('\nAnswers: ')[1];

describe('a lean tool', () => {
  test('has no arguments less and no words but those that the gateway says once', () => {
    expect(asLean({ ...TOOL, outputSchema: {} })).toMatchObject({
      description: 'Lists people.',
      inputSchema: {
        type: 'object',
        properties: {
          cursor: { type: 'string' },
          ids: { type: 'array', items: { type: 'integer', minimum: 1 } },
          since: { type: 'string', format: 'date' },
        },
      },
    });
    expect(asLean({ ...TOOL, outputSchema: {} }).inputSchema).not.toHaveProperty('required');
    expect(asLean({ ...TOOL, outputSchema: {} }).inputSchema).not.toHaveProperty('additionalProperties');
  });

  test.each([
    [TOOL.annotations, { readOnlyHint: true, destructiveHint: false, openWorldHint: true }],
    [
      { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    ],
    [
      { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ],
  ])('has of the hints %j only %j', (annotations, left) => {
    expect(asLean({ ...TOOL, annotations, outputSchema: {} }).annotations).toEqual(left);
  });

  test('names the members of its answers, but not those of the gateway', () => {
    const items = { properties: { id: {}, owner: { $ref: '#/$defs/owner' }, tags: { items: {} } } };
    const page = { properties: { nextArguments: {} } };
    expect(
      lineOf({ type: 'object', properties: { data: { items }, page }, $defs: { owner: { properties: { name: {} } } } }),
    ).toBe('data[id, owner{name}, tags[]]');
  });

  test('of alternatives names the members of all', () => {
    const anyOf = [{ properties: { name: {} } }, { properties: { title: {} } }];
    expect(lineOf({ type: 'object', properties: { item: { anyOf } } })).toBe('item{name, title}');
  });

  test('of endless answers names the upper members', () => {
    const node = { properties: { id: {}, parent: { $ref: '#/$defs/node' } } };
    expect(lineOf({ type: 'object', properties: { node: { $ref: '#/$defs/node' } }, $defs: { node } })).toBe(
      'node{id, parent{id, parent{id, parent{id, parent}}}}',
    );
    const many = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`member${index}`, {}]));
    expect(lineOf({ type: 'object', properties: { a: { properties: many }, b: {} } })).toBe(
      `a{${Object.keys(many).slice(0, 30).join(', ')}, 60 more}, b`,
    );
  });

  test('of an answer without known members says nothing', () => {
    expect(lineOf({ type: 'object' })).toBeUndefined();
  });

  const OWN_NAME = { type: 'string' };
  test.each([
    ['owner', 'The owner of the library. The name is not case sensitive.', undefined],
    ['libId', 'The unique identifier of the library.', undefined],
    ['lib', 'The library name.', undefined],
    ['perPage', 'The number of results per page (max 100).', 'max 100'],
    ['sort', 'What to sort results by.', undefined],
    [
      'branchName',
      'The name of the branch. Cannot contain wildcard characters.',
      'Cannot contain wildcard characters.',
    ],
    ['libId', 'The name of the library.', 'The name of the library.'],
    ['libId', 'Library id, from library_list_all.', 'Library id, from library_list_all.'],
    ['lib', 'The library, if it is not the default.', 'The library, if it is not the default.'],
    ['limit', 'Items per page.', 'Items per page.'],
    ['title', 'The title is case sensitive.', 'The title is case sensitive.'],
  ])('says of its argument %s (%s) only what the name does not', (name, description, left) => {
    const inputSchema = { type: 'object', properties: { [name]: { ...OWN_NAME, description } } };
    const lean = asLean({ ...TOOL, inputSchema, outputSchema: {} }).inputSchema as { properties: object };
    expect(lean.properties).toEqual({ [name]: left === undefined ? OWN_NAME : { ...OWN_NAME, description: left } });
  });

  test.each([
    ['Lists people of a library.\n\nOnly those who lend.', 'Only those who lend.'],
    ['Lists people of a library.', 'Lists people of a library.'],
    ['Lists who lends. Tokens (classic) need the `lib` scope to use this endpoint.', 'Lists who lends.'],
    ['Lists who lends. Anyone with read access can use this endpoint.', 'Lists who lends.'],
    ['Only apps can use this endpoint.', 'Only apps can use this endpoint.'],
    ['To use this endpoint, lending must be on.', 'To use this endpoint, lending must be on.'],
  ])('says neither its title again nor who may call it: %s', (description, left) => {
    expect(asLean({ ...TOOL, description, outputSchema: {} }).description).toBe(left);
  });
});

describe('a lean list', () => {
  const output = { properties: { id: { type: 'string' } } };
  const catalogue = createCatalogue(
    [
      fakeConnector({
        tools: [fakeTool({ name: 'library_get', output })],
      }),
    ],
    { mode: 'lean' },
  );
  const read = (access: Parameters<typeof catalogue.list>[0]) =>
    JSON.parse(Buffer.from(catalogue.list(access).json).toString('utf8')) as Record<string, unknown>[];

  test('has no output schemas', () => {
    const access = accessTo(['library']);
    expect(read(access).map((tool) => 'outputSchema' in tool)).toEqual([false]);
    expect(read(access).map(({ name }) => catalogue.showsSchema(String(name), access))).toEqual([false]);
  });

  test('is the whole one for a client whose code asks for it', () => {
    const access = accessTo(['library'], { permission: { ...FULL_PERMISSION, catalogue: 'full' } });
    const [tool] = read(access);
    expect(tool).toMatchObject({ outputSchema: { type: 'object', ...output }, description: 'Calls GET /things.' });
    expect(Object.keys(tool?.annotations ?? {})).toHaveLength(4);
    expect(catalogue.showsSchema('library_get', access)).toBe(true);
  });
});

test('the 64 tools cost at most 21,000 tokens in a lean list, and 18,700 without the conditions of lists', async () => {
  const count = await createTokenCounter();
  const connectors = await loadConnectors();
  const catalogue = createCatalogue(connectors, { mode: 'lean' });
  const { json } = catalogue.list(accessTo(connectors.map(({ name }) => name)));
  const tools = JSON.parse(Buffer.from(json).toString('utf8')) as {
    name: string;
    _meta?: object;
    inputSchema: { properties: Record<string, unknown> };
  }[];
  const isFinder = (name: string) => 'find' in (catalogue.find(name)?.tool ?? {});
  const found = tools.filter(({ name }) => !isFinder(name));
  expect(found).toHaveLength(64);
  const sum = (without: (name: string) => readonly string[]) =>
    found.reduce((tokens, { _meta, ...tool }) => {
      const left = Object.entries(tool.inputSchema.properties).filter(([name]) => !without(tool.name).includes(name));
      return tokens + count({ ...tool, inputSchema: { ...tool.inputSchema, properties: Object.fromEntries(left) } });
    }, 0);
  expect(sum(() => [])).toBeLessThanOrEqual(21_000);
  const conditions = ['where', 'sort', 'aggregate'];
  expect(
    sum((name) => catalogue.find(name)?.tool.gatewayArguments?.filter((one) => conditions.includes(one)) ?? []),
  ).toBeLessThanOrEqual(18_700);
});
