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
  test.each<[title: string, path: string, status: number, violations: string[], init?: RequestInit]>([
    ['an unknown path', '/nope', 404, []],
    ['a path with a final slash', '/books/', 404, []],
    ['an empty path parameter', '/books//cover', 404, []],
    [
      'a method that the path does not have',
      '/books/1',
      405,
      ['method PUT: is not one of: GET, DELETE'],
      { method: 'PUT' },
    ],
    ['broken percent-encoding', '/books/%zz', 400, []],
    [
      'a query parameter that is not declared',
      '/books?page_size=1',
      422,
      ['query page_size: is not declared by the descriptor'],
    ],
    ['a declared name in another case', '/books?Limit=1', 422, ['query Limit: is not declared by the descriptor']],
    [
      'an array parameter with brackets after its name',
      '/books?ids[]=1',
      422,
      ['query ids[]: is not declared by the descriptor'],
    ],
    ['text where an integer belongs', '/books?limit=ten', 422, ['query limit: must be integer']],
    ['a single parameter that is given twice', '/books?limit=1&limit=2', 422, ['query limit: must be integer']],
    ['an integer out of bounds', '/books?limit=101', 422, ['query limit: must be <= 100']],
    ['a boolean that is neither true nor false', '/books?sold=1', 422, ['query sold: must be boolean']],
    ['a wrong item of an array', '/books?ids=1&ids=b', 422, ['query ids/1: must be integer']],
    ['commas where an array has repeated keys', '/books?ids=1,2', 422, ['query ids/0: must be integer']],
    [
      'more items than an array may have',
      `/books?${Array.from({ length: 101 }, (_, at) => `ids=${at}`).join('&')}`,
      422,
      ['query ids: must NOT have more than 100 items'],
    ],
    [
      'repeated keys where an array is comma-joined',
      '/tables/A/B.json?opts.columns=title&opts.columns=author',
      400,
      ['query opts.columns/0: must be string', 'query opts.columns/1: must be string'],
    ],
    [
      'an item of a comma-joined array that is not allowed',
      '/books?columns=title,price',
      422,
      ['query columns/1: must be equal to one of the allowed values: "title", "author", "year"'],
    ],
    [
      'wrong and unknown members of a deep object',
      '/books?price[gte]=cheap&price[eq]=1',
      422,
      ['query price/eq: is not declared by the descriptor', 'query price/gte: must be number'],
    ],
    [
      'a member name that an exploded free-form object does not allow',
      '/tables/A/B.json?Ticker=AAPL',
      400,
      ['query filters/Ticker: must match pattern "^[a-z][a-z0-9_.]*$"', 'query filters: property name must be valid'],
    ],
    [
      'a header that does not fit',
      '/books',
      422,
      ['header shelf: must match pattern "^[a-z]+$"'],
      { headers: { ...KEY, Shelf: 'A1' } },
    ],
    ['a path parameter that its operation tightens', '/books/0', 400, ['path book_id: must be >= 1']],
    ['a missing body', '/books', 400, ['body : a body is required'], { method: 'POST' }],
    ['a body that is not JSON', '/books', 400, ['body : the body is not JSON'], postJson('{"title":')],
    [
      'a body of another media type',
      '/books',
      415,
      ['body : the media type "application/x-www-form-urlencoded" is not one of: application/json'],
      postJson('title=Emma', { 'content-type': 'application/x-www-form-urlencoded' }),
    ],
    [
      'missing and wrong members of a body, all at once',
      '/books',
      400,
      [
        'body /isbn: is required',
        'body /title: must NOT have fewer than 1 characters',
        'body /author/name: must be string',
        'body /copies: must be >= 1',
      ],
      postJson({ title: '', author: { name: 1 }, copies: 0 }),
    ],
    [
      'text in a body where a number belongs',
      '/books',
      400,
      ['body /copies: must be integer'],
      postJson({ ...NEW_BOOK, copies: '2' }),
    ],
    [
      'a body that the operation does not take',
      '/books/7',
      400,
      ['body : this operation takes no body'],
      { ...postJson({}), method: 'DELETE' },
    ],
  ])('%s is refused with the reason', async (_, path, status, violations, init) => {
    const reply = await ask(sandbox, path, init);
    const reported = reply.body.violations as { in: string; name: string; message: string }[];
    const texts = reported.map(({ in: place, name, message }) => `${place} ${name}: ${message}`);
    expect([reply.status, texts]).toEqual([status, violations]);
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
});
