import { describe, expect, test } from 'vitest';
import { FULL_PERMISSION } from '../../../../server/base/principal/permission.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import { declare, programTools } from '../../../../server/modules/code/declarations.ts';
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
});
