import { describe, expect, it } from 'vitest';
import { buildOne, jsonBody, propertiesOf } from '../service.ts';

const body = jsonBody({
  type: 'object',
  properties: {
    title: { type: ['string', 'null'] },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    size: { type: 'integer' },
    owner: { type: ['string', 'null'] },
    values: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
  },
  required: ['owner'],
});
const update = { method: 'PATCH', path: '/things', body } as const;

describe('the clear argument of an update', () => {
  it('replaces null in an optional member by its name in a list', () => {
    const { tool } = buildOne(update);
    const { title, note, clear } = propertiesOf(tool.inputSchema);
    expect([title?.type, note?.type]).toEqual(['string', 'string']);
    expect(clear).toEqual({
      type: 'array',
      description: 'Arguments whose stored value is to be removed, instead of giving them. A null removes nothing.',
      items: { type: 'string', enum: ['title', 'note'] },
    });
    expect(Object.keys(propertiesOf(tool.inputSchema)).at(-1)).toBe('clear');
    expect(tool.call.body).toMatchObject({ kind: 'members', clear: 'clear' });
  });

  it('keeps null where it is required or inside a value', () => {
    const { owner, values } = propertiesOf(buildOne(update).tool.inputSchema);
    expect(owner?.type).toEqual(['string', 'null']);
    expect(values?.additionalProperties).toEqual({ type: ['string', 'null'] });
  });

  it.each([
    ['PUT', '/things', true],
    ['POST', '/things/{thing_id}', true],
    ['POST', '/things', false],
  ] as const)('is present for %s %s: %s', (method, path, has) => {
    const parameters = path.endsWith('}') ? [{ ...PATH }] : [];
    const { tool } = buildOne({ method, path, body, parameters });
    expect(Object.hasOwn(propertiesOf(tool.inputSchema), 'clear')).toBe(has);
  });

  it('does not change a member whose type connector.yaml sets', () => {
    const tools = { shop_list_things: { operation: 'listThings', arguments: { title: { type: ['string', 'null'] } } } };
    const { title, clear } = propertiesOf(buildOne(update, { tools }).tool.inputSchema);
    expect(title?.type).toEqual(['string', 'null']);
    expect(clear?.items).toEqual({ type: 'string', enum: ['note'] });
  });

  it('gets another name where `clear` is taken', () => {
    const own = jsonBody({
      type: 'object',
      properties: { clear: { type: 'boolean' }, title: { type: ['string', 'null'] } },
    });
    const { tool } = buildOne({ ...update, body: own });
    expect(Object.keys(propertiesOf(tool.inputSchema))).toEqual(['clear', 'title', 'clear2']);
    expect(tool.call.body).toMatchObject({ clear: 'clear2' });
  });
});

const PATH = {
  name: 'thing_id',
  in: 'path',
  required: true,
  deprecated: false,
  description: '',
  style: 'simple',
  explode: false,
  allowReserved: false,
  mediaType: null,
  schema: { type: 'string' },
  pointer: '',
} as const;
