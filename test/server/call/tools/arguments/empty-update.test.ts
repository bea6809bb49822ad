import { afterEach, describe, expect, test } from 'vitest';
import { fakeTool } from '../../../../support/fake-connector.ts';
import { createFixture, errorOf, type Fixture } from '../support.ts';

let fixture: Fixture | undefined;
afterEach(() => fixture?.close());

const toolOf = (method: 'PUT' | 'POST', clear?: string) =>
  fakeTool({
    name: 'library_update_book',
    method,
    path: '/books/{bookId}',
    input: {
      properties: {
        bookId: { type: 'string' },
        title: { type: 'string' },
        pages: { type: 'integer' },
        column: { type: 'string' },
        value: { type: 'string' },
        year: { type: 'integer' },
        ...(clear === undefined ? {} : { [clear]: { type: 'array', items: { type: 'string' } } }),
      },
      required: ['bookId'],
      additionalProperties: false,
    },
    request: {
      path: { bookId: 'bookId' },
      body: {
        mediaType: 'application/json',
        members: { title: 'title', pages: 'pages', cells: { entries: { '{column}': 'value', bookId: 'year' } } },
        ...(clear === undefined ? {} : { clear }),
      },
    },
  });

async function update(method: 'PUT' | 'POST', args: object, clear?: string) {
  fixture = createFixture({ tools: [toolOf(method, clear)] });
  return fixture.call('library_update_book', { bookId: 'b', ...args });
}

describe('an update whose members are all null', () => {
  test('is refused, because it would change nothing', async () => {
    const result = await update('PUT', { title: null, pages: null });
    expect(errorOf(result)).toMatchObject({ code: 'invalid_arguments' });
    expect(errorOf(result).message).toContain(
      'nothing would be changed, because "title", "pages" are null. Give a value.',
    );
  });

  test('names the argument that removes values', async () => {
    const result = await update('PUT', { title: null }, 'clear');
    expect(errorOf(result).message).toContain('or name it under "clear" to remove its value.');
  });

  test('is refused as well if it is a POST that may be repeated', async () => {
    const tool = toolOf('POST');
    fixture = createFixture({ tools: [{ ...tool, annotations: { ...tool.annotations, idempotentHint: true } }] });
    const result = await fixture.call('library_update_book', { bookId: 'b', title: null });
    expect(errorOf(result).message).toContain('nothing would be changed, because "title" is null.');
  });

  test.each([
    ['has another value', 'PUT', { title: null, pages: 3 }],
    ['has an entry of its own name', 'PUT', { title: null, column: 'shelf', value: 'B2' }],
    ['has an entry of a fixed name', 'PUT', { title: null, year: 1999 }],
    ['has no nulls', 'PUT', {}],
    ['is no update', 'POST', { title: null }],
  ] as const)('is sent where it %s', async (_, method, args) => {
    expect(errorOf(await update(method, args)).code).toBe('upstream_unreachable');
  });
});
