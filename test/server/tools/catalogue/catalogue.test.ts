import { describe, expect, it } from 'vitest';
import { createCatalogue } from '../../../../server/tools/catalogue/catalogue.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';

const connector = (name: string, ...tools: string[]) =>
  fakeConnector({ name, title: name, tools: tools.map((tool) => fakeTool({ name: tool })) });

const ALL = { readOnly: false };
const textOf = (list: { json: Uint8Array }) => Buffer.from(list.json).toString('utf8');

describe('createCatalogue', () => {
  it('keeps one list per set of services, in whatever order they come', () => {
    const catalogue = createCatalogue([connector('a', 'a_x'), connector('b', 'b_x')]);
    expect(catalogue.list(['b', 'a'], ALL)).toBe(catalogue.list(['a', 'b'], ALL));
    expect(catalogue.list(['a', 'a', 'nobody'], ALL)).toBe(catalogue.list(['a'], ALL));
    expect(catalogue.list(['a'], ALL)).not.toBe(catalogue.list(['a'], { readOnly: true }));
  });

  it('keeps no more lists than it may, the latest used', () => {
    const catalogue = createCatalogue([connector('a', 'a_x'), connector('b', 'b_x')], { maxKeptLists: 2 });
    const first = catalogue.list(['a'], ALL);
    const second = catalogue.list(['b'], ALL);
    expect(catalogue.list(['a'], ALL)).toBe(first);
    catalogue.list(['a', 'b'], ALL);
    expect(catalogue.list(['a'], ALL)).toBe(first);
    expect(catalogue.list(['b'], ALL)).not.toBe(second);
    expect(textOf(catalogue.list(['b'], ALL))).toBe(textOf(second));
  });

  it('keeps no more bytes than it may, and at least the list that was asked for', () => {
    const connectors = ['a', 'b', 'c'].map((name) => connector(name, `${name}_x`));
    const { byteLength } = createCatalogue(connectors).list(['a'], ALL).json;
    const catalogue = createCatalogue(connectors, { maxKeptBytes: 2 * byteLength });
    const [a, b] = [catalogue.list(['a'], ALL), catalogue.list(['b'], ALL)];
    expect([catalogue.list(['a'], ALL), catalogue.list(['b'], ALL)]).toEqual([a, b]);
    expect(catalogue.list(['b'], ALL)).toBe(b);
    const c = catalogue.list(['c'], ALL);
    expect(catalogue.list(['b'], ALL)).toBe(b);
    expect(catalogue.list(['c'], ALL)).toBe(c);
    expect(catalogue.list(['a'], ALL)).not.toBe(a);
    const all = catalogue.list(['a', 'b', 'c'], ALL);
    expect(catalogue.list(['a', 'b', 'c'], ALL)).toBe(all);
    expect(catalogue.list(['c'], ALL)).not.toBe(c);
  });

  it('sorts by code unit, whatever the order of connectors and tools', () => {
    const catalogue = createCatalogue([connector('b', 'b_x', 'a_z'), connector('a', 'a_y', 'a_B')]);
    expect(catalogue.names(['a', 'b'], ALL)).toEqual(['a_B', 'a_y', 'a_z', 'b_x']);
  });

  it('publishes what a model and a host read, and nothing of the call', () => {
    const catalogue = createCatalogue([fakeConnector({ tools: [fakeTool({ name: 'library_get', path: '/x/{id}' })] })]);
    expect(JSON.parse(textOf(catalogue.list(['library'], ALL)))).toEqual([
      {
        name: 'library_get',
        title: 'library_get',
        description: 'Calls GET /x/{id}.',
        inputSchema: {
          type: 'object',
          properties: { id: { type: 'string' } },
          required: ['id'],
          additionalProperties: false,
        },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      },
    ]);
  });

  it('takes header annotations out of schemas, and leaves properties of that name', () => {
    const tool = fakeTool({
      name: 'library_get',
      input: {
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region' },
          'x-mcp-header': { type: 'object', properties: { a: { type: 'integer', 'x-mcp-header': 'A' } } },
        },
      },
    });
    const [published] = JSON.parse(textOf(createCatalogue([fakeConnector({ tools: [tool] })]).list(['library'], ALL)));
    expect(published.inputSchema.properties).toEqual({
      region: { type: 'string' },
      'x-mcp-header': { type: 'object', properties: { a: { type: 'integer' } } },
    });
  });

  it('leaves out a tool that would make clients refuse the whole list, and says why', () => {
    const bad = [
      fakeTool({ name: 'has space' }),
      fakeTool({ name: 'library_no_title', more: { title: null as unknown as string } }),
      fakeTool({ name: 'library_array', more: { outputSchema: { type: 'array' } as never } }),
      fakeTool({ name: 'library_good' }),
    ];
    const catalogue = createCatalogue([fakeConnector({ tools: bad }), connector('other', 'library_good')]);
    expect(catalogue.names(['library', 'other'], ALL)).toEqual(['library_good']);
    expect(catalogue.refused).toEqual([
      { name: 'has space', reason: 'its name is not 1 to 64 letters, digits, underscores or hyphens' },
      { name: 'library_array', reason: 'the root of its output schema is not an object' },
      { name: 'library_good', reason: 'another tool has this name' },
      { name: 'library_no_title', reason: 'it has no title or description' },
    ]);
  });
});
