import { describe, expect, it } from 'vitest';
import type { ParameterModel, Schema } from '../../../../codegen/model/types.ts';
import { buildOne, jsonBody, parameter, propertiesOf } from '../service.ts';

function schemaOf(over: Partial<ParameterModel>, config: Readonly<Record<string, unknown>> = {}): Schema | undefined {
  const tools = { shop_list_things: { operation: 'listThings', arguments: { place: config } } };
  return propertiesOf(buildOne({ parameters: [parameter('place', over)] }, { tools }).tool.inputSchema).place;
}

describe('an optional text is not empty', () => {
  it.each(['query', 'header', 'cookie'] as const)('in the %s', (place) => {
    expect(schemaOf({ in: place })).toEqual({ type: 'string', description: 'The place.', minLength: 1 });
  });

  it('as an element of an array', () => {
    const schema = { type: 'array', items: { type: 'string' } };
    expect(schemaOf({ schema })?.items).toEqual({ type: 'string', minLength: 1 });
  });

  it('where a pattern allows empty text, or null was allowed', () => {
    expect(schemaOf({ schema: { type: 'string', pattern: '^[a-z]*$' } })?.minLength).toBe(1);
    expect(schemaOf({ schema: { type: ['string', 'null'] } })?.minLength).toBe(1);
  });

  it('where it is only compared', () => {
    const { tool } = buildOne(
      { parameters: [parameter('place')] },
      {
        tools: {
          shop_list_things: {
            operation: 'listThings',
            arguments: { place: {}, check: { sent: false, mustEqual: '{place}' } },
          },
        },
      },
    );
    expect(propertiesOf(tool.inputSchema).check).toEqual({ type: 'string', minLength: 1 });
  });

  it('where it names something in a body that creates', () => {
    const names = ['external_id', 'callbackURL', 'display_name', 'note', 'idea'];
    const body = jsonBody({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    });
    const lengths = (method: 'POST' | 'PUT' | 'PATCH') =>
      Object.entries(propertiesOf(buildOne({ method, body }).tool.inputSchema)).flatMap(([name, { minLength }]) =>
        minLength === 1 ? [name] : [],
      );
    expect(lengths('POST')).toEqual(['externalId', 'callbackUrl', 'displayName']);
    expect([...lengths('PUT'), ...lengths('PATCH')]).toEqual([]);
  });
});

describe('a text may be empty', () => {
  const KEPT: readonly [string, Partial<ParameterModel>, Readonly<Record<string, unknown>>?][] = [
    ['where it is required', { required: true }],
    ['where the descriptor says `allowEmptyValue`', { allowEmptyValue: true }],
    ['where connector.yaml says `minLength: 0`', {}, { minLength: 0 }],
    ['where its default is empty', { schema: { type: 'string', default: '' } }],
    ['where other keywords already reject it', { schema: { type: 'string', pattern: '^[a-z]+$' } }],
    ['where it is an enumeration', { schema: { type: 'string', enum: ['', 'a'] } }],
  ];
  it.each(KEPT)('%s', (_, over, config) => {
    expect(schemaOf(over, config)?.minLength ?? 0).toBe(0);
  });
});
