import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/start.ts';
import { ask, KEY, postJson, startBookshop } from './support.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startBookshop();
});
beforeEach(() => sandbox.clearRequests());
afterAll(() => sandbox.close());

const NEW_BOOK = { title: 'Emma', author: { name: 'Jane Austen' }, isbn: null };

describe('a request that the descriptor does not allow', () => {
  const refused: [string, { path: string; init?: RequestInit; status: number; violations: unknown[] }][] = [
    ['an unknown path', { path: '/nope', status: 404, violations: [] }],
    ['a path with a final slash', { path: '/books/', status: 404, violations: [] }],
    ['an empty path parameter', { path: '/books//cover', status: 404, violations: [] }],
    [
      'a method that the path does not have',
      {
        path: '/books/1',
        init: { method: 'PUT' },
        status: 405,
        violations: [{ in: 'method', name: 'PUT', message: 'is not one of: GET, DELETE' }],
      },
    ],
    ['broken percent-encoding', { path: '/books/%zz', status: 400, violations: [] }],
    [
      'a query parameter that is not declared',
      {
        path: '/books?page_size=1',
        status: 422,
        violations: [{ in: 'query', name: 'page_size', message: 'is not declared by the descriptor' }],
      },
    ],
    [
      'a declared name in another case',
      {
        path: '/books?Limit=1',
        status: 422,
        violations: [{ in: 'query', name: 'Limit', message: 'is not declared by the descriptor' }],
      },
    ],
    [
      'an array parameter with brackets after its name',
      {
        path: '/books?ids[]=1',
        status: 422,
        violations: [{ in: 'query', name: 'ids[]', message: 'is not declared by the descriptor' }],
      },
    ],
    [
      'text where an integer belongs',
      {
        path: '/books?limit=ten',
        status: 422,
        violations: [{ in: 'query', name: 'limit', message: 'must be integer' }],
      },
    ],
    [
      'a single parameter that is given twice',
      {
        path: '/books?limit=1&limit=2',
        status: 422,
        violations: [{ in: 'query', name: 'limit', message: 'must be integer' }],
      },
    ],
    [
      'an integer out of bounds',
      {
        path: '/books?limit=101',
        status: 422,
        violations: [{ in: 'query', name: 'limit', message: 'must be <= 100' }],
      },
    ],
    [
      'a boolean that is neither true nor false',
      { path: '/books?sold=1', status: 422, violations: [{ in: 'query', name: 'sold', message: 'must be boolean' }] },
    ],
    [
      'a wrong item of an array',
      {
        path: '/books?ids=1&ids=b',
        status: 422,
        violations: [{ in: 'query', name: 'ids/1', message: 'must be integer' }],
      },
    ],
    [
      'commas where an array has repeated keys',
      { path: '/books?ids=1,2', status: 422, violations: [{ in: 'query', name: 'ids/0', message: 'must be integer' }] },
    ],
    [
      'more items than an array may have',
      {
        path: `/books?${Array.from({ length: 101 }, (_, at) => `ids=${at}`).join('&')}`,
        status: 422,
        violations: [{ in: 'query', name: 'ids', message: 'must NOT have more than 100 items' }],
      },
    ],
    [
      'repeated keys where an array is comma-joined',
      {
        path: '/tables/A/B.json?opts.columns=title&opts.columns=author',
        status: 400,
        violations: [
          { in: 'query', name: 'opts.columns/0', message: 'must be string' },
          { in: 'query', name: 'opts.columns/1', message: 'must be string' },
        ],
      },
    ],
    [
      'an item of a comma-joined array that is not allowed',
      {
        path: '/books?columns=title,price',
        status: 422,
        violations: [
          {
            in: 'query',
            name: 'columns/1',
            message: 'must be equal to one of the allowed values: "title", "author", "year"',
          },
        ],
      },
    ],
    [
      'wrong and unknown members of a deep object',
      {
        path: '/books?price[gte]=cheap&price[eq]=1',
        status: 422,
        violations: [
          { in: 'query', name: 'price/eq', message: 'is not declared by the descriptor' },
          { in: 'query', name: 'price/gte', message: 'must be number' },
        ],
      },
    ],
    [
      'a member name that an exploded free-form object does not allow',
      {
        path: '/tables/A/B.json?Ticker=AAPL',
        status: 400,
        violations: [
          { in: 'query', name: 'filters/Ticker', message: 'must match pattern "^[a-z][a-z0-9_.]*$"' },
          { in: 'query', name: 'filters', message: 'property name must be valid' },
        ],
      },
    ],
    [
      'a header that does not fit',
      {
        path: '/books',
        init: { headers: { ...KEY, Shelf: 'A1' } },
        status: 422,
        violations: [{ in: 'header', name: 'shelf', message: 'must match pattern "^[a-z]+$"' }],
      },
    ],
    [
      'a path parameter that its operation tightens',
      { path: '/books/0', status: 400, violations: [{ in: 'path', name: 'book_id', message: 'must be >= 1' }] },
    ],
    [
      'a missing body',
      {
        path: '/books',
        init: { method: 'POST' },
        status: 400,
        violations: [{ in: 'body', name: '', message: 'a body is required' }],
      },
    ],
    [
      'a body that is not JSON',
      {
        path: '/books',
        init: postJson('{"title":'),
        status: 400,
        violations: [{ in: 'body', name: '', message: 'the body is not JSON' }],
      },
    ],
    [
      'a body of another media type',
      {
        path: '/books',
        init: postJson('title=Emma', { 'content-type': 'application/x-www-form-urlencoded' }),
        status: 415,
        violations: [
          {
            in: 'body',
            name: '',
            message: 'the media type "application/x-www-form-urlencoded" is not one of: application/json',
          },
        ],
      },
    ],
    [
      'missing and wrong members of a body, all at once',
      {
        path: '/books',
        init: postJson({ title: '', author: { name: 1 }, copies: 0 }),
        status: 400,
        violations: [
          { in: 'body', name: '/isbn', message: 'is required' },
          { in: 'body', name: '/title', message: 'must NOT have fewer than 1 characters' },
          { in: 'body', name: '/author/name', message: 'must be string' },
          { in: 'body', name: '/copies', message: 'must be >= 1' },
        ],
      },
    ],
    [
      'text in a body where a number belongs',
      {
        path: '/books',
        init: postJson({ ...NEW_BOOK, copies: '2' }),
        status: 400,
        violations: [{ in: 'body', name: '/copies', message: 'must be integer' }],
      },
    ],
    [
      'a body that the operation does not take',
      {
        path: '/books/7',
        init: { ...postJson({}), method: 'DELETE' },
        status: 400,
        violations: [{ in: 'body', name: '', message: 'this operation takes no body' }],
      },
    ],
  ];

  test.each(refused)('%s is refused with the reason', async (_, { path, init, status, violations }) => {
    const reply = await ask(sandbox, path, init);
    expect({ status: reply.status, violations: reply.body.violations }).toEqual({ status, violations });
    expect(reply.body.message).toMatch(/^[A-Z].+/);
  });

  test('the header Allow names the methods of a path', async () => {
    const reply = await ask(sandbox, '/books/1', { method: 'PUT' });
    expect(reply.headers.get('allow')).toBe('GET, DELETE');
  });

  test('the message names every violation', async () => {
    const reply = await ask(sandbox, '/books?limit=ten&zone=1');
    expect(reply.body.message).toBe(
      'The descriptor does not allow this request. query zone: is not declared by the descriptor; query limit: must be integer',
    );
  });
});

describe('a request that the descriptor allows', () => {
  const allowed: [string, { path: string; init?: RequestInit; status?: number }][] = [
    ['repeated keys', { path: '/books?ids=1&ids=2' }],
    ['an array of one', { path: '/books?ids=1' }],
    ['100 repeated keys', { path: `/books?${Array.from({ length: 100 }, (_, at) => `ids=${at}`).join('&')}` }],
    ['a comma-joined array', { path: '/books?columns=title,author' }],
    ['an array joined by encoded pipes', { path: '/books?tags=a%7Cb' }],
    ['a deep object', { path: '/books?price[gte]=1.5&price%5Blte%5D=9' }],
    ['a nullable parameter', { path: '/books?cursor=' }],
    ['a free-form object next to a dotted array', { path: '/tables/A/B.json?opts.columns=a,b&date.gte=2024-01-01' }],
    ['the credential next to a free-form object', { path: '/tables/A/B.json?api_key=secret&ticker=AAPL' }],
    ['an encoded slash inside a path parameter', { path: '/tables/A%2FB/C.json' }],
    ['a body without its read-only member', { path: '/books', init: postJson(NEW_BOOK), status: 201 }],
    ['no body where it is optional', { path: '/books/upsert', init: { method: 'POST' } }],
    [
      'a charset after the media type',
      {
        path: '/books',
        init: postJson(NEW_BOOK, { 'content-type': 'application/json; charset=utf-8' }),
        status: 201,
      },
    ],
  ];

  test.each(allowed)('%s', async (_, { path, init, status = 200 }) => {
    const reply = await ask(sandbox, path, init);
    expect([reply.status, reply.body?.violations]).toEqual([status, undefined]);
  });

  test('a literal path takes precedence over a template, and falls back to it for other methods', async () => {
    await ask(sandbox, '/books/upsert', { method: 'POST' });
    await ask(sandbox, '/books/upsert');
    expect(sandbox.requests().map(({ operationId }) => operationId)).toEqual(['upsertBook', 'getBook']);
  });

  test('an operation with a server of its own answers under that server’s base path', async () => {
    const response = await fetch(`${sandbox.origin}/bookshop/tables/A/B/metadata.json`);
    expect([response.status, sandbox.requests()[0]?.operationId]).toEqual([200, 'getMetadata']);
  });
});

describe('the request log', () => {
  test('holds method, URL, headers and body of each request, also of refused ones', async () => {
    await ask(sandbox, '/books?ids=1&ids=2', { headers: { ...KEY, Shelf: 'novels' } });
    await ask(sandbox, '/books', postJson({ title: 'é' }));
    expect(sandbox.requests()).toMatchObject([
      {
        service: 'bookshop',
        operationId: 'listBooks',
        method: 'GET',
        url: '/bookshop/api/v2/books?ids=1&ids=2',
        headers: { shelf: 'novels', 'x-key': 'any' },
        body: '',
        status: 200,
      },
      { operationId: 'addBook', method: 'POST', body: '{"title":"é"}', status: 400 },
    ]);
  });

  test('drops the oldest requests', async () => {
    for (let at = 0; at < 510; at += 1) await ask(sandbox, `/books/${at + 1}`);
    expect(sandbox.requests()).toHaveLength(500);
    expect(sandbox.requests()[0]?.url).toBe('/bookshop/api/v2/books/11');
  });
});
