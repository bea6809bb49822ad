import { describe, expect, onTestFinished, test } from 'vitest';
import { openJudge } from '../../scripts/lab/corpus/calls/judge.ts';
import type { Operation } from '../../scripts/lab/corpus/calls/spec.ts';
import type { ArrivedRequest } from '../../scripts/lab/corpus/calls/wire.ts';

const NAME = { type: 'string' };
const FORBIDDING = { type: 'object', additionalProperties: false, properties: { a: NAME } };
const DOCUMENT = {
  openapi: '3.0.3',
  servers: [{ url: 'https://a.example' }],
  paths: {
    '/items/{id}': {
      get: {
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { $ref: '#/components/schemas/Id' } },
          { name: 'User-Agent', in: 'header', required: true, schema: { type: 'string', pattern: '^Theirs' } },
          { name: 'page[size]', in: 'query', schema: { type: 'integer' } },
          { name: 'level', in: 'query', schema: { type: 'number', enum: ['1', '2'] } },
          {
            name: 'expand',
            in: 'query',
            style: 'deepObject',
            explode: true,
            schema: { type: 'array', items: { type: 'integer' } },
          },
          { name: 'filter', in: 'query', style: 'deepObject', schema: { $ref: '#/components/schemas/Filter' } },
        ],
      },
    },
    '/items': {
      post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Item' } } } } },
    },
    '/files': {
      post: { requestBody: { content: { 'multipart/form-data': { schema: { $ref: '#/components/schemas/Form' } } } } },
    },
    '/lines': { post: { requestBody: { content: { 'text/plain': { schema: { type: 'object' } } } } } },
  },
  components: {
    schemas: {
      Id: { type: 'integer', readOnly: true },
      Filter: {
        type: 'object',
        minProperties: 1,
        properties: { ids: { type: 'array', items: { type: 'integer' } }, year: { type: 'integer' } },
      },
      Part: { type: 'object', required: ['title'], properties: { title: NAME } },
      Form: { type: 'object', required: ['episode'], properties: { episode: { $ref: '#/components/schemas/Part' } } },
      Item: {
        type: 'object',
        properties: {
          both: { allOf: [FORBIDDING, { type: 'object', properties: { b: NAME } }] },
          one: { anyOf: [FORBIDDING] },
          level: { type: 'integer', enum: ['1'] },
          kind: { type: 'string', enum: ['x'] },
        },
      },
    },
  },
};

const GET = { method: 'GET', path: '/items/{id}' };
const POST = { method: 'POST', path: '/items' };

async function judge(operation: Operation, parts: Partial<Omit<ArrivedRequest, 'body'>>, body = ''): Promise<string[]> {
  const opened = await openJudge(DOCUMENT, [operation]);
  onTestFinished(() => opened.close());
  const { method, path } = operation;
  const arrived = { method, origin: 'https://a.example', url: path, headers: {}, ...parts, body: Buffer.from(body) };
  return opened.judge(arrived, operation, false);
}

describe('the judge reads', { timeout: 30_000 }, () => {
  test.each<[what: string, url: string, want: unknown]>([
    ['no notes about members in a parameter, and no User-Agent', '/items/7', []],
    ['brackets as a part of a name', '/items/7?page%5Bsize%5D=5', []],
    ['the value of such a name', '/items/7?page%5Bsize%5D=x', ['/query/page_5Bsize_5D: must be integer']],
    [
      'other names with brackets as unknown',
      '/items/7?page%5Bnumber%5D=5',
      ["/query/page: Unknown query parameter 'page'"],
    ],
    ['a list of one item in deepObject style', '/items/7?expand=5', []],
    ['a list of one item in an object', '/items/7?filter%5Bids%5D=5', []],
    [
      'the items of such a list',
      '/items/7?filter%5Bids%5D=x',
      expect.arrayContaining(['/query/filter/ids: must be integer']),
    ],
    ['the other members of an object', '/items/7?filter%5Byear%5D=x', ['/query/filter/year: must be integer']],
  ])('%s', async (_, url, want) => {
    expect(await judge(GET, { url, headers: { 'user-agent': ['ours'] } })).toEqual(want);
  });

  test.each<[what: string, text: string, want: readonly unknown[]]>([
    ['JSON in a part of a form', '{"title":"a"}', []],
    ['its members', '{}', [expect.stringContaining("'title'")]],
  ])('%s', async (_, text, want) => {
    const body = `--x\r\nContent-Disposition: form-data; name="episode"\r\n\r\n${text}\r\n--x--\r\n`;
    const headers = { 'content-type': ['multipart/form-data; boundary=x'] };
    expect(await judge({ method: 'POST', path: '/files' }, { headers }, body)).toEqual(want);
  });
});

describe('a document contradicts itself', { timeout: 30_000 }, () => {
  const AGAINST = 'The document contradicts itself: ';

  test('if a parameter allows none of its own values', async () => {
    expect(await judge(GET, { url: '/items/7?level=1' })).toEqual([
      `${AGAINST}/query/level: must be equal to one of the allowed values: 1, 2`,
    ]);
  });

  test('if plain text must be an object', async () => {
    const headers = { 'content-type': ['text/plain;charset=utf-8'] };
    expect(await judge({ method: 'POST', path: '/lines' }, { headers }, 'a')).toEqual([
      `${AGAINST}/body: must be object`,
    ]);
  });

  test.each<[what: string, body: unknown, want: readonly string[]]>([
    [
      'if one part forbids what another declares',
      { both: { b: '' } },
      [`${AGAINST}/body/both/b: must NOT have additional properties`],
    ],
    [
      'if a member allows none of its own values',
      { level: 1 },
      [`${AGAINST}/body/level: must be equal to one of the allowed values: 1`],
    ],
    ['not if no part declares the member', { both: { c: '' } }, ['/body/both/c: must NOT have additional properties']],
    ['not if there are alternatives', { one: { b: '' } }, [expect.not.stringContaining(AGAINST), expect.anything()]],
    ['not if a value is possible', { kind: 'y' }, ['/body/kind: must be equal to one of the allowed values: x']],
    [
      'not if more is wrong',
      { level: 1, kind: 'y' },
      [
        '/body/level: must be equal to one of the allowed values: 1',
        '/body/kind: must be equal to one of the allowed values: x',
      ],
    ],
  ])('%s', async (_, body, want) => {
    const headers = { 'content-type': ['application/json'] };
    expect(await judge(POST, { headers }, JSON.stringify(body))).toEqual(want);
  });
});
