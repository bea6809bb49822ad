import { describe, expect, it, test } from 'vitest';
import { FULL_PERMISSION } from '../../../../../server/base/principal/permission.ts';
import { createCatalogue } from '../../../../../server/call/tools/catalogue/catalogue.ts';
import { accessTo } from '../../../../support/access.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';

const connector = (name: string, ...tools: string[]) =>
  fakeConnector({ name, title: name, tools: tools.map((tool) => fakeTool({ name: tool })) });

const textOf = (list: { json: Uint8Array }) => Buffer.from(list.json).toString('utf8');

describe('createCatalogue', () => {
  it('keeps one list per set of services, in any order', () => {
    const catalogue = createCatalogue([connector('a', 'a_x'), connector('b', 'b_x')]);
    expect(catalogue.list(accessTo(['b', 'a']))).toBe(catalogue.list(accessTo(['a', 'b'])));
    expect(catalogue.list(accessTo(['a', 'a', 'nobody']))).toBe(catalogue.list(accessTo(['a'])));
    expect(catalogue.list(accessTo(['a']))).not.toBe(catalogue.list(accessTo(['a'], { scopes: ['tools:read'] })));
  });

  it('keeps no more lists than its limit, the most recently used', () => {
    const catalogue = createCatalogue([connector('a', 'a_x'), connector('b', 'b_x')], { maxKeptLists: 2 });
    const first = catalogue.list(accessTo(['a']));
    const second = catalogue.list(accessTo(['b']));
    expect(catalogue.list(accessTo(['a']))).toBe(first);
    catalogue.list(accessTo(['a', 'b']));
    expect(catalogue.list(accessTo(['a']))).toBe(first);
    expect(catalogue.list(accessTo(['b']))).not.toBe(second);
    expect(textOf(catalogue.list(accessTo(['b'])))).toBe(textOf(second));
  });

  it('keeps no more bytes than its limit, and at least the requested list', () => {
    const connectors = ['a', 'b', 'c'].map((name) => connector(name, `${name}_x`));
    const { byteLength } = createCatalogue(connectors).list(accessTo(['a'])).json;
    const catalogue = createCatalogue(connectors, { maxKeptBytes: 2 * byteLength });
    const [a, b] = [catalogue.list(accessTo(['a'])), catalogue.list(accessTo(['b']))];
    expect([catalogue.list(accessTo(['a'])), catalogue.list(accessTo(['b']))]).toEqual([a, b]);
    expect(catalogue.list(accessTo(['b']))).toBe(b);
    const c = catalogue.list(accessTo(['c']));
    expect(catalogue.list(accessTo(['b']))).toBe(b);
    expect(catalogue.list(accessTo(['c']))).toBe(c);
    expect(catalogue.list(accessTo(['a']))).not.toBe(a);
    const all = catalogue.list(accessTo(['a', 'b', 'c']));
    expect(catalogue.list(accessTo(['a', 'b', 'c']))).toBe(all);
    expect(catalogue.list(accessTo(['c']))).not.toBe(c);
  });

  it('sorts by code unit, independent of the order of connectors and tools', () => {
    const catalogue = createCatalogue([connector('b', 'b_x', 'a_z'), connector('a', 'a_y', 'a_B')]);
    expect(catalogue.names(accessTo(['a', 'b']))).toEqual(['a_B', 'a_y', 'a_z', 'b_x']);
  });

  it('publishes what a model and a host read, and no part of the call', () => {
    const catalogue = createCatalogue([fakeConnector({ tools: [fakeTool({ name: 'library_get', path: '/x/{id}' })] })]);
    expect(JSON.parse(textOf(catalogue.list(accessTo(['library']))))).toEqual([
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

  it('removes header annotations from schemas, but not properties of that name', () => {
    const tool = fakeTool({
      name: 'library_get',
      input: {
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region' },
          'x-mcp-header': { type: 'object', properties: { a: { type: 'integer', 'x-mcp-header': 'A' } } },
        },
      },
    });
    const [published] = JSON.parse(
      textOf(createCatalogue([fakeConnector({ tools: [tool] })]).list(accessTo(['library']))),
    );
    expect(published.inputSchema.properties).toEqual({
      region: { type: 'string' },
      'x-mcp-header': { type: 'object', properties: { a: { type: 'integer' } } },
    });
  });

  it('leaves out a tool that would make clients reject the whole list, and reports why', () => {
    const bad = [
      fakeTool({ name: 'has space' }),
      fakeTool({ name: 'library_no_title', more: { title: null as unknown as string } }),
      fakeTool({ name: 'library_array', more: { outputSchema: { type: 'array' } as never } }),
      fakeTool({ name: 'library_good' }),
    ];
    const catalogue = createCatalogue([fakeConnector({ tools: bad }), connector('other', 'library_good')]);
    expect(catalogue.names(accessTo(['library', 'other']))).toEqual(['library_good']);
    expect(catalogue.refused).toEqual([
      { name: 'has space', reason: 'its name is not 1 to 64 letters, digits, underscores or hyphens' },
      { name: 'library_array', reason: 'the root of its output schema is not an object' },
      { name: 'library_good', reason: 'another tool has this name' },
      { name: 'library_no_title', reason: 'it has no title or description' },
    ]);
  });

  it('gives a name to the service that it begins with, whatever another service calls its tools', () => {
    const ofDrive = fakeTool({ name: 'acme_drive_list', path: '/drive' });
    const ofAcme = fakeTool({ name: 'acme_drive_list', path: '/other' });
    const catalogue = createCatalogue([
      fakeConnector({ name: 'acme', tools: [ofAcme] }),
      fakeConnector({ name: 'acme-drive', tools: [ofDrive] }),
    ]);
    expect(catalogue.find('acme_drive_list')?.connector.name).toBe('acme-drive');
  });
});

describe('tools that a token may not call', () => {
  const catalogue = createCatalogue([
    fakeConnector({
      tools: [
        fakeTool({ name: 'library_list' }),
        fakeTool({ name: 'library_add', method: 'POST' }),
        fakeTool({ name: 'library_drop', method: 'DELETE' }),
      ],
    }),
  ]);
  const scopes = ['tools:read'] as const;
  const listed = (changes: object) =>
    (JSON.parse(textOf(catalogue.list(accessTo(['library'], changes)))) as { name: string; description: string }[]).map(
      ({ name, description }) => `${name}: ${description}`,
    );

  test('are listed to a client that can ask its user for more, with that hint', () => {
    expect(listed({ scopes, clientId: 'client-1' })).toEqual([
      'library_add: Needs write access: calling it asks the user. Calls POST /things.',
      'library_drop: Needs write access: calling it asks the user. Calls DELETE /things.',
      'library_list: Calls GET /things.',
    ]);
    expect(catalogue.names(accessTo(['library'], { scopes, clientId: 'client-1' }))).toEqual(['library_list']);
  });

  test('are not listed to a token that cannot', () => {
    expect(listed({ scopes })).toEqual(['library_list: Calls GET /things.']);
  });

  test('are not listed where the user excluded them', () => {
    const permission = { ...FULL_PERMISSION, without: ['library_drop'] };
    const names = listed({ scopes, clientId: 'client-1', permission }).map((line) => line.split(':')[0]);
    expect(names).toEqual(['library_add', 'library_list']);
  });
});
