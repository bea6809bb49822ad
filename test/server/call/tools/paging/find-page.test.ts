import { describe, expect, it } from 'vitest';
import type { PagedTool } from '../../../../../server/call/tools/results/page-size.ts';
import { withFirstPage, withSmallerPage } from '../../../../../server/call/tools/results/page-size.ts';
import { describePage, findPage, type PagedAnswer } from '../../../../../server/call/tools/results/paging.ts';
import type { PageRule } from '../../../../../server/contract/index.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';

const INPUT = {
  type: 'object',
  properties: {
    cursor: { type: 'string' },
    offset: { type: 'integer' },
    page: { type: 'integer' },
    limit: { type: 'integer', maximum: 100 },
    open: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    query: { type: 'string' },
  },
} as const;

function toolOf(page: PageRule): PagedTool {
  const request = {
    query: {
      cursor: 'cursor',
      offset: 'offset',
      page: 'page',
      limit: 'limit',
      open: 'open',
      q: 'query',
      tags: { argument: 'tags', style: 'form', explode: true },
      v: { constant: '2' },
    },
  } as const;
  return { inputSchema: INPUT, request, page };
}

const LINK: PageRule = { kind: 'link', argument: 'page', size: 'limit', items: '/data' };
const BODY_LINK: PageRule = { ...LINK, next: '/next' };
const OFFSET: PageRule = { kind: 'offset', argument: 'offset', items: '/data', first: 0, size: 'limit' };
const PAGE: PageRule = { kind: 'page', argument: 'page', items: '/data', first: 1, size: 'limit' };
const CURSOR: PageRule = { argument: 'cursor', next: '/next', queryParameter: null, more: null };
const FLAG: PageRule = { ...CURSOR, more: '/more' };
const URL_CURSOR: PageRule = { ...CURSOR, queryParameter: 'c' };
const records = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));
const linked = (link: string): PagedAnswer => ({ value: {}, header: (name) => (name === 'link' ? link : null) });

const ROWS: readonly [string, PageRule, PagedAnswer, Record<string, unknown>, unknown][] = [
  ['a cursor', CURSOR, { value: { next: 'abc' } }, { limit: 5 }, { limit: 5, cursor: 'abc' }],
  ['a cursor after another', CURSOR, { value: { next: 'def' } }, { cursor: 'abc' }, { cursor: 'def' }],
  ['a number', { ...CURSOR, argument: 'position' }, { value: { next: 3 } }, {}, { position: 3 }],
  ['a number for a text', CURSOR, { value: { next: 3 } }, {}, { cursor: '3' }],
  ['the end: null', CURSOR, { value: { next: null } }, { limit: 5 }, null],
  ['the end: an empty cursor', CURSOR, { value: { next: '' } }, {}, null],
  ['the end: no cursor', CURSOR, { value: {} }, {}, null],
  ['the end: the same cursor again', CURSOR, { value: { next: 'abc' } }, { cursor: 'abc' }, null],
  ['a cursor in a URL', URL_CURSOR, { value: { next: 'https://a.example/x?l=5&c=a%2Fb' } }, {}, { cursor: 'a/b' }],
  ['a cursor in a path', URL_CURSOR, { value: { next: '/x?c=1' } }, {}, { cursor: '1' }],
  ['the end: an empty URL', URL_CURSOR, { value: { next: '' } }, {}, null],
  ['the end: more is false', FLAG, { value: { next: 'x', more: false } }, {}, null],
  ['a cursor: more is true', FLAG, { value: { next: 'x', more: true } }, {}, { cursor: 'x' }],
  ['a link', LINK, linked('<https://a.example/x?page=2>; rel="next"'), {}, { page: 2 }],
  ['a link next to others', LINK, linked('<?page=1>; rel=prev, <?page=3>; rel="next last"'), { page: 2 }, { page: 3 }],
  ['the end: no link', LINK, linked('<?page=1>; rel="prev"'), { page: 2 }, null],
  ['the end: no header', LINK, { value: {} }, {}, null],
  ['the end: a link to this page', LINK, linked('<?page=2&limit=5>; rel=next'), { page: 2 }, null],
  [
    'a link with a boolean, a string and a constant',
    LINK,
    linked('<?page=2&open=true&q=a%20b&v=2>; rel=next'),
    {},
    { page: 2, open: true, query: 'a b' },
  ],
  [
    'a link that repeats a list',
    LINK,
    linked('<?page=2&tags=a&tags=b>; rel=next'),
    { tags: ['a', 'b'] },
    { page: 2, tags: ['a', 'b'] },
  ],
  [
    'a link by cursor in place of a number',
    LINK,
    linked('<?cursor=abc>; rel=next'),
    { page: 1, query: 'q' },
    { cursor: 'abc', query: 'q' },
  ],
  [
    'nothing: a link that only sets a parameter without an argument',
    LINK,
    linked('<?token=abc>; rel=next'),
    {},
    undefined,
  ],
  ['nothing: a link without a query', LINK, linked('</x/2>; rel=next'), {}, undefined],
  ['a link in the body', BODY_LINK, { value: { next: '/x?page=2' } }, {}, { page: 2 }],
  ['the end: a link of null in the body', BODY_LINK, { value: { next: null } }, {}, null],
  ['nothing: an object in place of a link', BODY_LINK, { value: { next: {} } }, {}, undefined],
  ['an offset', OFFSET, { value: { data: records(10) } }, {}, { offset: 10 }],
  ['an offset after another', OFFSET, { value: { data: records(10) } }, { offset: 20 }, { offset: 30 }],
  ['the end: a page that is not full', OFFSET, { value: { data: records(9) } }, { limit: 10 }, null],
  ['the end: an empty page', OFFSET, { value: { data: [] } }, {}, null],
  [
    'an offset below the total',
    { ...OFFSET, total: '/n' },
    { value: { data: records(9), n: 20 } },
    { limit: 10 },
    { limit: 10, offset: 9 },
  ],
  ['the end: the total', { ...OFFSET, total: '/n' }, { value: { data: records(9), n: '29' } }, { offset: 20 }, null],
  [
    'an offset from 1',
    { ...OFFSET, first: 1, total: '/n' },
    { value: { data: records(10), n: 11 } },
    {},
    { offset: 11 },
  ],
  [
    'the end: an offset from 1',
    { ...OFFSET, first: 1, total: '/n' },
    { value: { data: records(1), n: 11 } },
    { offset: 11 },
    null,
  ],
  ['a page', PAGE, { value: { data: records(10) } }, { limit: 10 }, { limit: 10, page: 2 }],
  ['the end: the last page', { ...PAGE, pages: '/p' }, { value: { data: records(10), p: 3 } }, { page: 3 }, null],
  [
    'a page from 0',
    { ...PAGE, first: 0, pages: '/p' },
    { value: { data: records(10), p: 3 } },
    { page: 1 },
    { page: 2 },
  ],
  [
    'the end: all records of pages',
    { ...PAGE, total: '/n' },
    { value: { data: records(5), n: 15 } },
    { page: 2, limit: 10 },
    null,
  ],
  ['the end: no more', { ...PAGE, more: '/more' }, { value: { data: records(5), more: false } }, {}, null],
  [
    'more in a page that is not full',
    { ...PAGE, more: '/more' },
    { value: { data: records(5), more: true } },
    { limit: 10 },
    { limit: 10, page: 2 },
  ],
];

describe('the page after an answer', () => {
  it.each(ROWS)('is found by %s', (_title, rule, answer, args, want) => {
    expect(findPage(toolOf(rule), rule, answer, args)?.nextArguments).toEqual(want);
  });

  it('is described in one line with every argument that changes or is removed', () => {
    const args = { page: 1, query: 'q' };
    const page = findPage(toolOf(LINK), LINK, linked('<?cursor=abc&limit=5>; rel=next'), args);
    expect(page === null ? null : describePage(page, LINK, args, 'list')).toBe(
      'There are more results: call list again with the same arguments and "cursor": "abc", "limit": 5, without "page".',
    );
  });
});

describe('a Link header (RFC 8288)', () => {
  it.each([
    ['<?page=2>; rel=next', { page: 2 }],
    ['<?page=1>; title="x, <?page=2>; rel=next"; rel=prev, <?page=3>; REL = "Next"', { page: 3 }],
    ['<?page=2>; rel="previous"', null],
    ['<?page=2>', null],
    ['<?page=2', null],
    ['', null],
    [`${'<?page=2>;'.repeat(5000)}`, null],
  ])('is read: %#', (header, want) => {
    expect(findPage(toolOf(LINK), LINK, linked(header), {})?.nextArguments ?? null).toEqual(want);
  });
});

describe('pages by their number', () => {
  const tool = { ...fakeTool({ name: 'list' }), inputSchema: INPUT, page: PAGE };

  it('keep their size after the first', () => {
    expect(withFirstPage(tool, { page: 2, limit: 30 }, 10, {})).toEqual({ page: 2, limit: 30 });
    expect(withFirstPage(tool, { limit: 30 }, 10, {})).toEqual({ limit: 10 });
  });

  it('become smaller where the smaller page begins at the same record', () => {
    expect(withSmallerPage(tool, { page: 4, limit: 30 }, 'limit', 20)).toEqual({ page: 6, limit: 18 });
    expect(withSmallerPage(tool, { limit: 30 }, 'limit', 20)).toEqual({ limit: 20 });
    expect(withSmallerPage(tool, { page: 4 }, 'limit', 20)).toBeNull();
  });
});
