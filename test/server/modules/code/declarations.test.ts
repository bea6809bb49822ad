import { describe, expect, test } from 'vitest';
import { FULL_PERMISSION } from '../../../../server/base/principal/permission.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import { declare, programTools, withFoundItems } from '../../../../server/modules/code/declarations.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';

const access = (services: string[]) => ({
  clientId: null,
  scopes: ['tools:read', 'tools:write'] as const,
  services,
  permission: FULL_PERMISSION,
});

describe('the tools of a program', () => {
  test('are methods of their service, in camel case, and what their names would hide keeps its name', () => {
    const named = (name: string, tools: string[]) =>
      fakeConnector({ name, tools: tools.map((tool) => fakeTool({ name: tool })) });
    const connectors = [
      named('my-crm', ['my-crm_list_people', 'find_all']),
      named('delete', ['delete_it']),
      named('console', ['console_get_a', 'console_get-a']),
    ];
    const tools = programTools(createCatalogue(connectors), access(['console', 'delete', 'my-crm']));
    expect(tools.map(([service, method]) => `${service}.${method}`)).toEqual([
      'console_.getA',
      'console_.console_get_a',
      'delete_.it',
      'myCrm.findAll',
      'myCrm.listPeople',
    ]);
  });

  test('are declared with texts for integers of 64 bits', () => {
    const id = { type: 'integer', format: 'int64' };
    const tool = fakeTool({
      name: 'library_get',
      input: { properties: { id }, required: ['id'] },
      output: { properties: { ids: { type: 'array', items: id }, pages: { type: 'integer', format: 'int32' } } },
      more: { description: 'Gets.' },
    });
    const connectors = [fakeConnector({ tools: [tool] })];
    const [found] = programTools(createCatalogue(connectors), access(['library']));
    expect(found && declare(found, tool, false)).toContain(
      'library.get(args: { id: number | string }): List<{ ids: (number | string)[]; pages: number }, "ids">;',
    );
  });

  test('are declared with what they take and give', () => {
    const output = {
      properties: {
        data: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: { type: 'integer' }, name: { type: ['string', 'null'] }, kind: { enum: ['a', 'b'] } },
          },
        },
        page: { type: 'object', properties: { next: { type: 'string' } } },
      },
    };
    const input = {
      properties: {
        id: { anyOf: [{ type: 'string' }, { type: 'integer' }], description: 'Its id. From the list.' },
        tags: { type: 'array', items: { type: 'string' } },
        'a-b': { $ref: '#/$defs/a' },
      },
      required: ['id'],
      $defs: { a: { type: 'object', additionalProperties: { type: 'number' } } },
    };
    const tool = fakeTool({ name: 'library_list', input, output, more: { description: 'Lists */ all. By id.' } });
    const connectors = [fakeConnector({ tools: [tool] })];
    const [found] = programTools(createCatalogue(connectors), access(['library']));
    const gives =
      'List<{ data: { id: number; name: string | null; kind: "a" | "b" }[]; page: { next: string } }, "data">';
    expect(declare(found!, tool, false)).toBe(
      `/** Lists * / all. */\nlibrary.list(args: { id: string | number; tags?: string[]; "a-b"?: Record<string, number> }): ${gives};`,
    );
    expect(declare(found!, tool, true)).toContain('/** Lists * / all. By id. */');
    expect(declare(found!, tool, true)).toContain('{ id: string | number /* Its id. */;');
  });

  describe('have in their answers', () => {
    const declared = (properties: object, isWhole = false) => {
      const connectors = [fakeConnector({ tools: [fakeTool({ name: 'library_get', output: { properties } })] })];
      const catalogue = createCatalogue(connectors);
      const [found] = programTools(catalogue, access(['library']));
      return declare(found!, catalogue.find('library_get')!.tool, isWhole);
    };
    const membersOf = (count: number, member: object) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`member_number_${at}`, member]));

    test('lists and objects that state no type, and texts as names', () => {
      const book = {
        properties: { title: {}, pages: { type: ['number', 'null'] }, notes: { additionalProperties: {} } },
      };
      expect(declared({ books: { items: book } })).toContain(
        'List<{ books: { title; pages: number | null; notes: object }[] }, "books">;',
      );
    });

    test('no members of the deepest objects if they are many, unless they are wanted whole', () => {
      const shelf = { properties: membersOf(20, { properties: membersOf(20, {}) }) };
      const usual = declared({ shelves: { items: shelf } });
      expect(usual).toContain('member_number_19: object');
      expect(usual.length).toBeLessThan(1200);
      expect(declared({ shelves: { items: shelf } }, true)).toContain('member_number_19: { member_number_0;');
    });

    test('the items of the list in which they find', () => {
      const list = fakeTool({
        name: 'library_list',
        output: { properties: { books: { items: { properties: { title: {} } } }, total: { type: 'integer' } } },
      });
      const finder = fakeTool({
        name: 'library_find',
        output: { properties: { books: { description: 'As in library_list.' } } },
        more: { find: { list: 'library_list', by: [['title']] } },
      });
      const catalogue = createCatalogue([fakeConnector({ tools: [finder, list] })]);
      const [found] = programTools(catalogue, access(['library']));
      expect(declare(found!, withFoundItems(catalogue.find('library_find')!.tool, catalogue), false)).toContain(
        'Promise<{ books: { title }[] }>',
      );
    });
  });
});
