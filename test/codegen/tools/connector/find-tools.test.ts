import { describe, expect, it } from 'vitest';
import { buildFind } from '../../../../codegen/tools/connector/find-tools.ts';
import { createReporter } from '../../../../codegen/tools/problems.ts';
import type { ToolModel } from '../../../../codegen/tools/types.ts';
import { answer, build as buildService, operation, service } from '../service.ts';

const book = { type: 'string', description: 'A book.' };
const LIST = {
  name: 'notes_list_notes',
  aliases: [{ name: 'notes_all', until: '2027-01-01' }],
  title: 'List notes',
  description: 'Lists notes.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  arguments: [
    { name: 'bookId', required: true, schema: book, wire: { in: 'path', name: 'book_id' } },
    { name: 'limit', required: false, schema: {}, wire: { in: 'query', name: 'limit' } },
  ],
  inputSchema: { type: 'object', properties: { bookId: book, limit: {} }, required: ['bookId'], $defs: { A: {} } },
  outputSchema: {
    type: 'object',
    properties: { data: { items: { properties: { title: {}, author: { properties: { first: {}, last: {} } } } } } },
  },
  gatewayArguments: ['where'],
  filters: { title: { equals: 'title' } },
  page: { argument: 'cursor', next: '/next', queryParameter: null, more: null, items: '/data', size: 'limit' },
  result: { wrapItems: false, rows: null, mayBeEmpty: false, keep: ['data.title'] },
  scopes: [['notes.read']],
} as unknown as ToolModel;

function build(find: Parameters<typeof buildFind>[1], changes: Partial<ToolModel> = {}) {
  const report = createReporter('openapi.yaml', 'connector.yaml');
  const tool = buildFind({ ...LIST, ...changes }, find, new Set(['notes_list_notes', 'notes_get_note']), report);
  return { tool, problems: report.problems };
}

describe('a tool that finds items of a list', () => {
  it('takes the required arguments of the list and a key, and has its hints, scopes and minimal answer', () => {
    const { tool, problems } = build({ tool: 'notes_find_note', by: ['title', 'author.first + author.last'] });
    expect(problems).toEqual([]);
    const key = { type: 'string', description: 'title, or author.first author.last.', minLength: 1, maxLength: 200 };
    expect(tool).toMatchObject({
      name: 'notes_find_note',
      title: 'Find notes',
      description:
        'Finds items of notes_list_notes by an exact title, or author.first author.last, ignoring case; near ones are named if there is none.',
      annotations: LIST.annotations,
      scopes: [['notes.read']],
      gatewayArguments: ['key'],
      outputSchema: { type: 'object', properties: { data: { description: 'As in notes_list_notes.' } } },
      find: { list: 'notes_list_notes', by: [['title'], ['author.first', 'author.last']] },
      page: null,
      result: { keep: ['data.title'] },
    });
    expect(tool.inputSchema).toEqual({
      type: 'object',
      properties: { bookId: book, key },
      required: ['bookId', 'key'],
      additionalProperties: false,
    });
    expect(tool.arguments.map(({ name }) => name)).toEqual(['bookId', 'key']);
    expect(tool).not.toHaveProperty('aliases');
    expect(tool).not.toHaveProperty('filters');
  });

  it.each<readonly [string, Parameters<typeof buildFind>[1], Partial<ToolModel>, string]>([
    ['an unknown member', { tool: 'a', by: ['titel'] }, {}, 'The items of notes_list_notes have no member titel.'],
    [
      'an unknown part',
      { tool: 'a', by: ['title+author.x'] },
      {},
      'The items of notes_list_notes have no member author.x.',
    ],
    [
      'a name that is taken',
      { tool: 'notes_get_note', by: ['title'] },
      {},
      'notes_get_note is the name of another tool.',
    ],
    ['no list', { tool: 'a', by: ['title'] }, { page: null }, 'notes_list_notes does not list objects.'],
    [
      'a tool that writes',
      { tool: 'a', by: ['title'] },
      { annotations: { ...LIST.annotations, readOnlyHint: false } },
      'notes_list_notes does not list objects.',
    ],
  ])('is refused for %s', (_, find, changes, message) => {
    expect(build(find, changes).problems).toMatchObject([
      { code: 'config-find', pointer: '/tools/notes_list_notes/find', message },
    ]);
  });
});

describe('the name of a tool that finds items', () => {
  const items = { type: 'array', items: { type: 'object', properties: { title: { type: 'string' } } } };
  const list = (id: string) => operation({ id, path: `/${id}`, responses: [answer(items)] });
  const problemsOf = (firstFind: string, secondTool: object) =>
    buildService(service([list('a'), list('b')]), {
      tools: {
        shop_a: { operation: 'a', find: { tool: firstFind, by: ['title'] } },
        shop_b: { operation: 'b', ...secondTool },
      },
    }).problems.map(({ code, pointer, message }) => [code, pointer, message]);

  it('belongs to one list', () => {
    expect(problemsOf('shop_find', { find: { tool: 'shop_search', by: ['title'] } })).toEqual([]);
    expect(problemsOf('shop_find', { find: { tool: 'shop_find', by: ['title'] } })).toEqual([
      ['config-find', '/tools/shop_b/find', 'shop_find is the name of another tool.'],
    ]);
  });

  it('is no old name of another tool', () => {
    expect(problemsOf('shop_find', { aliases: { shop_find: { until: '2027-03-01' } } })).toEqual([
      ['config-alias', '/tools/shop_b/aliases/shop_find', 'There is a tool shop_find.'],
    ]);
  });
});
