import { describe, expect, test } from 'vitest';
import { convertSwagger2, isSwagger2 } from '../../../scripts/connector/swagger2/convert.ts';

interface Body {
  readonly content: Record<string, { readonly encoding?: unknown }>;
}
interface Converted {
  readonly servers?: unknown;
  readonly components?: Record<string, Record<string, unknown>>;
  readonly paths: Record<string, Record<string, { parameters?: unknown; requestBody?: Body }>>;
}
const OK = { 200: { description: 'Fine.' } };
const convert = (document: object, scheme: 'http' | 'https' = 'https') =>
  convertSwagger2(
    { swagger: '2.0', info: { title: 'T', version: '1' }, paths: {}, ...document },
    scheme,
  ) as unknown as Converted;
const operation = (parameters: object[], more: object = {}, document: object = {}) =>
  convert({ ...document, paths: { '/x': { post: { parameters, responses: OK, ...more } } } }).paths['/x']?.post;
const field = (name: string, more: object = {}) => ({ name, in: 'formData', type: 'string', ...more });

describe('the version', () => {
  test.each([
    [{ swagger: '2.0' }, true],
    [{ swagger: 2 }, true],
    [{ swagger: '1.2' }, false],
    [{ openapi: '3.0.0' }, false],
    [[], false],
    [null, false],
  ])('%j', (document, is) => expect(isSwagger2(document)).toBe(is));
});

describe('servers', () => {
  test.each([
    [['http', 'https'], 'http', ['https://a.example/v1']],
    [['http'], 'https', ['http://a.example/v1']],
    [undefined, 'https', ['https://a.example/v1']],
    [undefined, 'http', ['http://a.example/v1']],
  ] as const)('of schemes %j, fetched by %s, are %j', (schemes, scheme, urls) => {
    const { servers } = convert({ host: 'a.example', basePath: '/v1', ...(schemes && { schemes }) }, scheme);
    expect(servers).toEqual(urls.map((url) => ({ url })));
  });
});

describe('bodies', () => {
  const body = { name: 'b', in: 'body', required: true, schema: { type: 'object', properties: { a: {} } } };
  const want = { required: true, content: { 'application/json': { schema: body.schema } } };

  test.each([
    ['of an operation', convert({ paths: { '/x': { post: { parameters: [body], responses: OK } } } })],
    [
      'of the document',
      convert({
        parameters: { B: body },
        paths: { '/x': { post: { parameters: [{ $ref: '#/parameters/B' }], responses: OK } } },
      }),
    ],
    ['of a path, after its operations', convert({ paths: { '/x': { post: { responses: OK }, parameters: [body] } } })],
  ])('%s become request bodies', (_, { paths }) => {
    expect(paths['/x']?.post?.requestBody).toEqual(want);
    expect(paths['/x']?.post?.parameters ?? []).toEqual([]);
  });

  test.each([
    [{ consumes: [] }, {}, ['application/json']],
    [{ consumes: [] }, { consumes: ['application/xml'] }, ['application/xml']],
    [{}, { consumes: [] }, ['application/json']],
    [{ consumes: ['text/csv'] }, { consumes: ['application/xml'] }, ['text/csv']],
  ])('of an operation with %j in a document with %j have %j', (more, document, types) => {
    expect(Object.keys(operation([body], more, document)?.requestBody?.content ?? {})).toEqual(types);
  });

  test('of an operation override those of its path', () => {
    const own = { ...body, schema: { type: 'string' } };
    const { paths } = convert({ paths: { '/x': { parameters: [body], post: { parameters: [own], responses: OK } } } });
    expect(paths['/x']?.post?.requestBody).toMatchObject({ content: { 'application/json': { schema: own.schema } } });
  });
});

describe('forms', () => {
  test('with a required field are required, and others are not', () => {
    expect(operation([field('a', { required: true }), field('b')])?.requestBody).toEqual({
      required: true,
      content: {
        'application/x-www-form-urlencoded': {
          schema: { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: { type: 'string' } } },
        },
      },
    });
    expect(operation([field('a')])?.requestBody).toEqual({
      content: {
        'application/x-www-form-urlencoded': { schema: { type: 'object', properties: { a: { type: 'string' } } } },
      },
    });
  });

  test.each([
    ['a file', [field('f', { type: 'file' })], {}, ['multipart/form-data']],
    [
      'a file, if both types are accepted',
      [field('f', { type: 'file' })],
      { consumes: ['application/x-www-form-urlencoded', 'multipart/form-data'] },
      ['multipart/form-data'],
    ],
    ['a string', [field('a')], { consumes: ['application/json'] }, ['application/x-www-form-urlencoded']],
    ['a string, if a type is named', [field('a')], { consumes: ['multipart/form-data'] }, ['multipart/form-data']],
  ])('of %s have the right media type', (_, parameters, more, types) => {
    expect(Object.keys(operation(parameters, more)?.requestBody?.content ?? {})).toEqual(types);
  });

  test('separate array items by commas by default', () => {
    const body = operation([field('a', { type: 'array', items: { type: 'string' } })])?.requestBody;
    expect(body?.content['application/x-www-form-urlencoded']?.encoding).toEqual({
      a: { style: 'form', explode: false },
    });
  });
});

describe('arrays', () => {
  const array = (place: string, collectionFormat?: string) =>
    operation([
      { name: 'a', in: place, type: 'array', items: { type: 'string' }, ...(collectionFormat && { collectionFormat }) },
    ])?.parameters;
  test.each([
    ['query', undefined, { style: 'form', explode: false }],
    ['query', 'multi', { style: 'form', explode: true }],
    ['query', 'pipes', { style: 'pipeDelimited', explode: false }],
    ['header', undefined, { style: 'simple', explode: false }],
  ])('in a %s with %s', (place, format, want) => {
    expect(array(place, format)).toEqual([
      { name: 'a', in: place, schema: { type: 'array', items: { type: 'string' } }, ...want },
    ]);
  });

  test.each([
    ['query', 'tsv', 'tab characters'],
    ['path', 'pipes', '`|`'],
  ])('with an inexpressible separator become strings: %s, %s', (place, format, separator) => {
    expect(array(place, format)).toEqual([
      { name: 'a', in: place, schema: { type: 'string' }, description: `Values separated by ${separator}.` },
    ]);
  });
});

test('the original stays unchanged, and an invalid document is rejected', () => {
  const original = { swagger: '2.0', host: 'a.example', definitions: { A: { 'x-nullable': true } }, paths: {} };
  const before = structuredClone(original);
  convertSwagger2(original, 'https');
  expect(original).toEqual(before);
  expect(() => operation([{ name: 'a', type: 'string' }])).toThrow('This Swagger 2.0 document cannot be converted');
});
