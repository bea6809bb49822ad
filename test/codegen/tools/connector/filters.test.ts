import { describe, expect, it } from 'vitest';
import { buildFilters, proposeFilters } from '../../../../codegen/tools/connector/filters.ts';
import { createReporter } from '../../../../codegen/tools/problems.ts';
import type { ToolModel } from '../../../../codegen/tools/types.ts';

type Filters = Parameters<typeof buildFilters>[1];

const query = (name: string, schema: object, required = false) => ({
  name,
  required,
  schema,
  wire: { in: 'query' as const, name },
});
const TOOL = {
  name: 'notes_list',
  arguments: [
    query('limit', { type: 'integer', maximum: 100 }),
    query('cursor', { type: 'string' }),
    query('state', { type: 'string' }),
    query('ids', { type: 'array', items: {} }),
    query('createdAfter', { type: 'string', format: 'date-time' }),
    query('day', { type: 'string', format: 'date' }),
    query('bookId', { type: 'string' }, true),
    { name: 'where', required: false, schema: { type: 'object' }, wire: null },
  ],
  inputSchema: { type: 'object' },
  outputSchema: {
    type: 'object',
    properties: {
      data: {
        items: {
          properties: {
            id: {},
            state: {},
            limit: {},
            book_id: {},
            created_at: {},
            owner: { properties: { name: {} } },
          },
        },
      },
    },
  },
  page: { argument: 'cursor', next: '/next', queryParameter: null, more: null, items: '/data', size: 'limit' },
  result: { wrapItems: false, rows: null, mayBeEmpty: false },
  gatewayArguments: ['where'],
} as unknown as ToolModel;

function build(filters: Filters, tool = TOOL) {
  const report = createReporter('openapi.yaml', 'connector.yaml');
  return { filters: buildFilters(tool, filters, report), problems: report.problems };
}

describe('filters of the service', () => {
  it('are written by operator, where one argument means equals', () => {
    const { filters, problems } = build({
      state: 'state',
      created_at: { after: 'createdAfter' },
      'owner.name': 'state',
    });
    expect(problems).toEqual([]);
    expect(filters).toEqual({
      state: { equals: 'state' },
      created_at: { after: 'createdAfter' },
      'owner.name': { equals: 'state' },
    });
  });

  it.each<readonly [string, Filters, string]>([
    ['an unknown member', { stat: 'state' }, 'The items of notes_list have no member stat.'],
    ['an unknown member of a member', { 'owner.nam': 'state' }, 'The items of notes_list have no member owner.nam.'],
    ['an unknown argument', { state: 'status' }, 'notes_list sends no argument status.'],
    ['an argument of the gateway', { state: 'where' }, 'notes_list sends no argument where.'],
    ['a required argument', { book_id: 'bookId' }, 'The argument bookId cannot be used for "equals"'],
    ['an array for one value', { id: 'ids' }, 'The argument ids cannot be used for "equals"'],
    ['one value for several', { id: { in: 'state' } }, 'The argument state cannot be used for "in"'],
    ['a text for times', { created_at: { after: 'state' } }, 'The argument state cannot be used for "after"'],
    ['a day for times after it', { created_at: { after: 'day' } }, 'The argument day cannot be used for "after"'],
  ])('cannot name %s', (_, filters, message) => {
    expect(build(filters).problems).toEqual([
      expect.objectContaining({ code: 'config-filter', message: expect.stringContaining(message) }),
    ]);
  });

  it('are for tools with the argument where', () => {
    const { problems } = build({ state: 'state' }, { ...TOOL, gatewayArguments: ['fields'] });
    expect(problems).toMatchObject([
      { pointer: '/tools/notes_list/filters', message: 'notes_list has no argument where.' },
    ]);
  });

  it('are proposed where an optional argument of the query is called as a member, and is none of paging', () => {
    expect(proposeFilters(TOOL)).toEqual([['state', 'state']]);
  });
});
