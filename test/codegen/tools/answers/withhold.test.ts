import { describe, expect, it } from 'vitest';
import { connectorConfigSchema } from '../../../../codegen/load/connector-config.ts';
import type { Schema } from '../../../../codegen/model/types.ts';
import { answer, buildOne, parameter } from '../service.ts';

const PERSON = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    taxNumber: { type: 'string' },
    boss: { $ref: '#/Person' },
    email: { type: 'string' },
  },
};
const LIST = {
  type: 'object',
  properties: { data: { type: 'array', items: { $ref: '#/Person' } }, next: { type: 'string' } },
};

function build(
  tool: object,
  { schema = LIST, more = {}, service = {} }: { schema?: Schema; more?: object; service?: object } = {},
) {
  const config = { tools: { shop_list: { operation: 'listThings', ...tool } }, ...service };
  const { connector, problems } = buildOne({ responses: [answer(schema)], ...more }, config, {
    schemas: { '#/Person': PERSON },
  });
  return {
    tool: connector.tools[0],
    account: connector.account,
    problems: problems.filter(({ code }) => /withh|config-unused|config-account/.test(code)),
  };
}

describe('withhold', () => {
  it('takes members out of the output schema, on one path or anywhere', () => {
    const { tool, problems } = build({ withhold: { '**.taxNumber': 'drop', 'data.name': 'replace' } });
    expect(problems).toEqual([]);
    expect(tool?.result.withhold).toEqual({ '**.taxNumber': 'drop', 'data.name': 'replace' });
    expect(JSON.stringify(tool?.outputSchema)).not.toContain('taxNumber');
    expect(tool?.outputSchema.properties).toMatchObject({
      data: { items: { properties: { name: { description: 'Withheld.' } } } },
    });
  });

  it('joins what the service withholds from every tool, and a member is dropped where either says so', () => {
    const service = { defaults: { withhold: { '**.email': 'drop', '**.name': 'drop' } } };
    const { tool, problems } = build({ withhold: { '**.name': 'replace' } }, { service });
    expect(problems).toEqual([]);
    expect(tool?.result.withhold).toEqual({ '**.email': 'drop', '**.name': 'drop' });
  });

  it('leaves a tool without it as it is', () => {
    const { tool } = build({});
    expect(tool?.result.withhold).toBeUndefined();
    expect(JSON.stringify(tool?.outputSchema)).toContain('taxNumber');
  });

  it('keeps a withheld member out of the examples of arguments', () => {
    const list = {
      gatewayArguments: ['where', 'fields', 'sort'],
      pagination: { argument: 'cursor', next: '/next', items: '/data' },
    };
    const more = { parameters: [parameter('cursor')] };
    const whole = JSON.stringify(build(list, { more }).tool?.inputSchema);
    const open = JSON.stringify(build({ ...list, withhold: { 'data.name': 'drop' } }, { more }).tool?.inputSchema);
    expect([whole.includes('name'), open.includes('name')]).toEqual([true, false]);
  });

  it.each([
    ['data.taxNumbr', 'Did you mean data.taxNumber?'],
    ['dat.taxNumber', 'Did you mean data, next?'],
    ['data.name.first.letter', null],
    ['next.taxNumber', null],
  ])('names what is near to %s', (path, fix) => {
    const { problems } = build({ withhold: { [path]: 'drop' } });
    expect(problems.map(({ code, pointer }) => [code, pointer])).toEqual(
      fix === null ? [] : [['config-withhold', `/tools/shop_list/withhold/${path}`]],
    );
  });

  it('refuses what no answer of the service has, and what a list needs to go on', () => {
    const page = { pagination: { argument: 'cursor', next: '/next', items: '/data' } };
    const more = { parameters: [parameter('cursor')] };
    const unknown = build({}, { service: { defaults: { withhold: { 'data.taxNo': 'drop' } } } });
    expect(unknown.problems).toMatchObject([{ code: 'config-unused', pointer: '/defaults/withhold/data.taxNo' }]);
    const paging = build({ ...page, withhold: { next: 'replace' } }, { more });
    expect(paging.problems).toMatchObject([
      { code: 'config-withhold', message: 'shop_list needs /next to say how its list goes on.' },
    ]);
  });

  it('refuses a filter by a withheld member', () => {
    const pages = { pagination: { argument: 'cursor', next: '/next', items: '/data' }, gatewayArguments: ['where'] };
    const given = { ...pages, filters: { name: 'q', email: 'q' }, withhold: { 'data.email': 'replace' } };
    const config = { tools: { shop_list: { operation: 'listThings', ...given } } };
    const more = { responses: [answer(LIST)], parameters: [parameter('cursor'), parameter('q')] };
    const { problems } = buildOne(more, config, { schemas: { '#/Person': PERSON } });
    expect(problems.filter(({ code }) => code === 'config-filter').map(({ message }) => message)).toEqual([
      'email is withheld, and which items a filter finds would tell its value.',
    ]);
  });

  it('refuses an account that is withheld', () => {
    const service = { account: { tool: 'shop_list', name: ['/data/0/taxNumber'] } };
    expect(build({}, { service }).problems).toEqual([]);
    expect(build({ withhold: { '**.taxNumber': 'drop' } }, { service }).problems).toMatchObject([
      { code: 'config-account', message: 'shop_list withholds /data/0/taxNumber.' },
    ]);
  });

  it.each([
    ['by its name', parameter('tax_number_after')],
    ['by a value', parameter('sort', { schema: { type: 'string', enum: ['name', '-taxNumber'] } })],
    ['by its description', parameter('filter', { description: 'Such as taxNumber eq 1.' })],
  ])('warns of an argument that may tell the value %s', (_, given) => {
    const { problems } = build({ withhold: { '**.taxNumber': 'drop' } }, { more: { parameters: [given] } });
    expect(problems.map(({ code }) => code)).toEqual(['withheld-argument']);
    const writing = build({ withhold: { '**.taxNumber': 'drop' } }, { more: { method: 'PATCH', parameters: [given] } });
    expect(writing.problems).toEqual([]);
  });

  it.each(['', '**', 'a..b', 'a.*.b'])('refuses the path %j', (path) => {
    const tools = { shop_list: { operation: 'x', withhold: { [path]: 'drop' } } };
    expect(connectorConfigSchema.safeParse({ tools }).success).toBe(false);
  });
});
