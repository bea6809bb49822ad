import { describe, expect, it } from 'vitest';
import { addGatewayArguments } from '../../../../codegen/tools/connector/gateway-arguments.ts';
import { createReporter } from '../../../../codegen/tools/problems.ts';
import type { GatewayArgument, PageRule } from '../../../../codegen/tools/types.ts';

const PAGE: PageRule = {
  argument: 'cursor',
  next: '/next',
  queryParameter: null,
  more: null,
  items: '/data',
  size: 'limit',
};

const LIST = { type: 'array', items: { $ref: '#/$defs/Note' } };

function add(
  options: {
    own?: readonly (GatewayArgument | 'list')[];
    service?: readonly (GatewayArgument | 'list')[];
    result?: { wrapItems: boolean; rows: null };
    reads?: boolean;
    page?: PageRule | null;
    names?: readonly string[];
    maximum?: number;
    batch?: readonly string[];
    filtered?: readonly string[];
    note?: object;
    lists?: readonly string[];
  } = {},
) {
  const {
    own,
    service,
    batch,
    filtered,
    note = { id: {}, text: {} },
    lists = ['data'],
    reads = true,
    page = PAGE,
    names = ['limit', 'cursor'],
    maximum = 100,
  } = options;
  const { result = { wrapItems: false, rows: null } } = options;
  const report = createReporter('openapi.yaml', 'connector.yaml');
  const schema = { type: 'integer', ...(maximum > 0 ? { maximum } : {}) };
  const tool = {
    name: 'notes_list',
    arguments: names.map((name) => ({ name, required: false, schema, wire: null })),
    inputSchema: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, schema])) },
    outputSchema: {
      type: 'object',
      properties: { next: {}, ...Object.fromEntries(lists.map((name) => [name, LIST])) },
      $defs: { Note: { type: 'object', properties: note } },
    },
    page,
    result: { ...result, mayBeEmpty: false },
  };
  return {
    ...addGatewayArguments(
      tool,
      {
        toolList: own,
        serviceList: service,
        isReadOnly: reads,
        batch,
        ...(filtered && { filtered }),
      },
      report,
    ),
    problems: report.problems,
  };
}

describe("the gateway's arguments", () => {
  it('come after those of the service, in a fixed order, with an example from the answer', () => {
    const { inputSchema, gatewayArguments, problems } = add({ own: ['resume', 'maxItems', 'fields'] });
    expect(problems).toEqual([]);
    expect(gatewayArguments).toEqual(['fields', 'maxItems', 'resume']);
    expect(Object.keys(inputSchema.properties as object)).toEqual(['limit', 'cursor', 'fields', 'maxItems', 'resume']);
    expect(inputSchema.properties).toMatchObject({ fields: { description: expect.stringContaining('e.g. data.id') } });
  });

  it('of lists come with one word, as far as a tool can take them', () => {
    const all = ['where', 'fields', 'sort', 'aggregate', 'maxItems'];
    const { inputSchema, gatewayArguments, problems } = add({ service: ['list'] });
    expect([gatewayArguments, problems]).toEqual([all, []]);
    expect(inputSchema.properties).toMatchObject({
      where: { type: 'object', description: 'e.g. {"text": {"contains": "a"}}' },
      sort: { type: 'string', description: 'e.g. -text' },
      aggregate: { type: 'object' },
    });
    expect(add({ service: ['list', 'resume'], maximum: 0 }).gatewayArguments).toEqual([...all.slice(0, -1), 'resume']);
    expect(add({ service: ['list'], names: ['limit', 'cursor', 'sort', 'where'] })).toMatchObject({
      gatewayArguments: ['fields', 'aggregate', 'maxItems'],
      problems: [],
    });
    expect(add({ service: ['list'], reads: false })).not.toHaveProperty('gatewayArguments');
  });

  it.each([
    [
      'a member by which connector.yaml filters, if the schema names none',
      {},
      ['ticker'],
      '{"ticker": {"contains": "a"}}',
    ],
    ['a placeholder, if nothing names a member', {}, [], '{"<column>": {"contains": "a"}}'],
    ['a number for a member that is one', { index: { type: ['number', 'null'] } }, [], '{"index": {"atLeast": 1}}'],
    ['true for a flag', { open: { type: ['boolean', 'null'] } }, ['ticker'], '{"open": true}'],
  ])('of lists have in their example %s', (_title, note, filtered, where) => {
    const { inputSchema } = add({ service: ['list'], note, filtered });
    expect(inputSchema.properties).toMatchObject({ where: { description: `e.g. ${where}` } });
  });

  it('of lists without pages come where the answer is an array, or connector.yaml says that the only array is the list', () => {
    const unpaged = ['where', 'fields', 'sort', 'aggregate'];
    expect(add({ service: ['list'], page: null })).not.toHaveProperty('gatewayArguments');
    expect(add({ own: ['list'], page: null }).gatewayArguments).toEqual(unpaged);
    const wrapped = add({ service: ['list'], page: null, result: { wrapItems: true, rows: null } });
    expect(wrapped.gatewayArguments).toEqual(unpaged);
  });

  it('are absent where nothing enables them', () => {
    expect(add()).not.toHaveProperty('gatewayArguments');
    expect(add({ own: [], service: ['fields'] })).not.toHaveProperty('gatewayArguments');
  });

  it('come from the defaults of the service where the tool supports them', () => {
    expect(add({ service: ['fields', 'maxItems'] }).gatewayArguments).toEqual(['fields', 'maxItems']);
    const unpaged = add({ service: ['fields', 'maxItems'], page: null });
    expect([unpaged.gatewayArguments, unpaged.problems]).toEqual([['fields'], []]);
    expect(add({ service: ['fields'], reads: false })).not.toHaveProperty('gatewayArguments');
  });

  it.each([
    ['of a tool that writes', { own: ['resume'], reads: false }, 'notes_list writes'],
    ['without pages', { own: ['maxItems'], page: null }, 'cannot be followed'],
    [
      'of lists without a list',
      { own: ['list'], page: null, lists: ['data', 'errors'] },
      'has no list to select items from',
    ],
    ['without a maximum page size', { own: ['maxItems'], maximum: 0 }, 'does not say how large a page may be'],
  ] as const)('%s are an error', (_, options, message) => {
    const { problems, gatewayArguments } = add(options);
    expect(gatewayArguments).toBeUndefined();
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'config-gateway-arguments',
        pointer: '/tools/notes_list/gatewayArguments',
        message: expect.stringContaining(message),
      }),
    ]);
  });

  it.each([
    [{ own: ['fields'] }, '/tools/notes_list/gatewayArguments'],
    [{ service: ['fields'] }, '/defaults/gatewayArguments'],
  ] as const)('with a name that the service uses are an error that says how to fix it', (options, pointer) => {
    const { problems } = add({ ...options, names: ['fields'] });
    expect(problems).toEqual([
      expect.objectContaining({
        pointer,
        message: 'notes_list has an argument fields of the service.',
        fix: 'Give that one another name under `arguments`, with `wire`, or leave fields out of `gatewayArguments`.',
      }),
    ]);
  });

  it('of a batch come with the arguments that differ, which stay as they are', () => {
    const { inputSchema, gatewayArguments, batch, problems } = add({
      names: ['id', 'note'],
      reads: false,
      batch: ['id'],
    });
    expect([gatewayArguments, batch, problems]).toEqual([['also', 'count'], ['id'], []]);
    expect(inputSchema.properties).toMatchObject({
      id: { type: 'integer' },
      also: { type: 'array', description: 'A batch: more of id.', items: { type: 'integer' } },
      count: { type: 'integer' },
    });
    const several = add({ names: ['id', 'note'], reads: false, batch: ['id', 'note'] });
    expect(several.inputSchema.properties).toMatchObject({ also: { items: { type: 'object' } } });
  });

  it.each([
    ['of a tool that reads', { reads: true, batch: ['limit'] }, 'notes_list only reads.'],
    ['of an argument that is not there', { reads: false, batch: ['limit', 'id'] }, 'notes_list has no argument id.'],
    [
      'beside an argument of the service with its name',
      { reads: false, names: ['id', 'also'], batch: ['id'] },
      'notes_list has an argument also or count of the service.',
    ],
  ] as const)('a batch %s is an error', (_, options, message) => {
    const { problems, batch } = add(options);
    expect(batch).toBeUndefined();
    expect(problems).toEqual([expect.objectContaining({ pointer: '/tools/notes_list/batch', message })]);
  });
});
