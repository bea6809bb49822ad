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

function add(
  options: {
    own?: readonly GatewayArgument[];
    service?: readonly GatewayArgument[];
    reads?: boolean;
    page?: PageRule | null;
    names?: readonly string[];
    maximum?: number;
  } = {},
) {
  const { own, service, reads = true, page = PAGE, names = ['limit', 'cursor'], maximum = 100 } = options;
  const report = createReporter('openapi.yaml', 'connector.yaml');
  const schema = { type: 'integer', ...(maximum > 0 ? { maximum } : {}) };
  const tool = {
    name: 'notes_list',
    arguments: names.map((name) => ({ name, required: false, schema, wire: null })),
    inputSchema: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, schema])) },
    outputSchema: {
      type: 'object',
      properties: { next: {}, data: { type: 'array', items: { $ref: '#/$defs/Note' } } },
      $defs: { Note: { type: 'object', properties: { id: {}, text: {} } } },
    },
    page,
  };
  return { ...addGatewayArguments(tool, { own, service, reads }, report), problems: report.problems };
}

describe("the gateway's arguments", () => {
  it('come after those of the service, in a fixed order, with an example from the answer', () => {
    const { inputSchema, gatewayArguments, problems } = add({ own: ['resume', 'maxItems', 'fields'] });
    expect(problems).toEqual([]);
    expect(gatewayArguments).toEqual(['fields', 'maxItems', 'resume']);
    expect(Object.keys(inputSchema.properties as object)).toEqual(['limit', 'cursor', 'fields', 'maxItems', 'resume']);
    expect(inputSchema.properties).toMatchObject({ fields: { description: expect.stringContaining('e.g. data.id') } });
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
});
