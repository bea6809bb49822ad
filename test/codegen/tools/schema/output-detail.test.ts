import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../../codegen/model/types.ts';
import { answer, build, operation, parameter, propertiesOf, service } from '../service.ts';

const ADDRESS = {
  type: 'object',
  properties: {
    street: { type: 'string', description: 'With the number of the house, as it is written on letters.' },
    city: { type: 'string', description: 'Without the postal code, in the language of the place.' },
  },
};
const ORDERS: Schema = {
  type: 'object',
  properties: {
    orders: {
      type: 'array',
      description: 'Newest first.',
      items: { type: 'object', properties: { id: { type: 'integer' }, billing: ADDRESS, shipping: { ...ADDRESS } } },
    },
    next: { type: 'string' },
  },
};
const LIST = operation({ parameters: [parameter('cursor')], responses: [answer(ORDERS)] });
const PAGINATION = { argument: 'cursor', next: '/next' };

describe('output schemas', () => {
  it('contain equal parts once', () => {
    const { outputSchema } = build(service([LIST])).tool;
    expect(propertiesOf(outputSchema).orders).toEqual({
      description: 'Newest first.',
      items: {
        properties: {
          id: { type: ['integer', 'null'] },
          billing: { $ref: '#/$defs/Billing' },
          shipping: { $ref: '#/$defs/Billing' },
        },
      },
    });
  });

  it('that are brief describe the answer and the objects in its lists', () => {
    const { tool } = build(service([LIST]), { outputSchemas: 'brief', pagination: PAGINATION });
    expect(tool.outputSchema).toEqual({
      type: 'object',
      properties: {
        orders: {
          description: 'Newest first.',
          items: {
            properties: {
              id: { type: ['integer', 'null'] },
              billing: { additionalProperties: {} },
              shipping: { additionalProperties: {} },
            },
          },
        },
        next: {},
        page: {
          properties: { nextArguments: { additionalProperties: {} } },
        },
      },
    });
    expect(tool.answersJson).toBeUndefined();
  });

  it('that are left out still promise JSON answers', () => {
    const { tool } = build(service([LIST]), { outputSchemas: 'none', pagination: PAGINATION });
    expect(tool.outputSchema).toEqual({ type: 'object' });
    expect(tool.answersJson).toBe(true);
    expect(tool.page).toMatchObject(PAGINATION);
  });

  it('that are left out promise no JSON where the descriptor promises none', () => {
    const text = operation({ responses: [answer({ type: 'string' }, '200', 'text/plain')] });
    expect(build(service([text]), { outputSchemas: 'none' }).tool.answersJson).toBeUndefined();
  });

  it('do not explain page.nextArguments where the description of the tool does', () => {
    const description = 'Lists orders. For the next page call again with page.nextArguments.';
    const { tool } = build(service([LIST]), {
      pagination: PAGINATION,
      tools: { shop_list: { operation: 'listThings', description } },
    });
    expect(propertiesOf(tool.outputSchema).page).toEqual({
      properties: { nextArguments: { additionalProperties: {} } },
    });
  });
});
