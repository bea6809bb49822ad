import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../../codegen/model/types.ts';
import { answer, buildOne } from '../service.ts';

const THING = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string' },
    owner: { $ref: '#/Owner' },
    custom: { type: 'object', additionalProperties: { type: 'integer' } },
  },
};
const OWNER = { type: 'object', properties: { name: { type: 'string' }, manager: { $ref: '#/Owner' } } };
const LIST = { type: 'object', properties: { data: { type: 'array', items: THING }, count: { type: 'integer' } } };

function build(keep: readonly string[], schema: Schema = LIST) {
  const config = { tools: { shop_list: { operation: 'listThings', keep } } };
  const { connector, problems } = buildOne({ responses: [answer(schema)] }, config, { schemas: { '#/Owner': OWNER } });
  return { tool: connector.tools[0], problems: problems.filter(({ code }) => code === 'config-keep') };
}

describe('keep', () => {
  it('keeps the named members of the output schema', () => {
    const { tool, problems } = build(['data.owner.manager.name', 'data.custom.size', 'count']);
    expect(problems).toEqual([]);
    expect(tool?.result.keep).toEqual(['data.owner.manager.name', 'data.custom.size', 'count']);
    expect(tool?.outputSchema).toEqual({
      type: 'object',
      properties: {
        data: {
          items: {
            properties: {
              owner: { properties: { manager: { properties: { name: {} } } } },
              custom: { properties: { size: { type: ['integer', 'null'] } } },
            },
          },
        },
        count: { type: ['integer', 'null'] },
      },
    });
  });

  it('applies to the items of an array and to each alternative', () => {
    const { tool } = build(['items.id'], { type: 'array', items: { oneOf: [THING, OWNER] } });
    expect(tool?.outputSchema.properties).toEqual({ items: { items: { properties: { id: {} } } } });
  });

  it.each([
    ['data.ownr', 'there is no ownr.', 'Did you mean data.owner?'],
    ['data.owner.manager.nam', 'there is no nam.', 'Did you mean data.owner.manager.name?'],
    ['data.0.id', 'there is no 0.', 'Did you mean data.id?'],
    ['total', 'there is no total.', 'Did you mean data or count?'],
  ])('reports %s with the nearest name', (path, message, fix) => {
    const { problems } = build([path]);
    expect(problems).toMatchObject([{ pointer: '/tools/shop_list/keep/0', fix }]);
    expect(problems[0]?.message).toContain(message);
  });

  it('allows every name below a place that lists no members', () => {
    expect(build(['anything.at.all'], {}).problems).toEqual([]);
  });
});
