import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathArguments } from '../../../../../server/call/upstream/serialize-path.ts';
import type { ToolRequest } from '../../../../../server/contract/index.ts';
import { textArbitrary } from '../../../../support/schema-arbitrary.ts';
import { writeRequest } from './written.ts';

const JSON_BODY = { mediaType: 'application/json', members: { b: 'b', always: { constant: [1] } } } as const;

describe('a request', () => {
  it.each<[title: string, request: ToolRequest, path: string, args: Record<string, unknown>, want: object]>([
    [
      'of plain values',
      {
        path: { id: 'id' },
        query: { 'page[size]': 'size', q: 'q' },
        header: { 'X-Tag': 'tag' },
        cookie: { sid: 'sid' },
      },
      '/a/{id}',
      { id: "it's (x)", size: 5, q: "it's!", tag: ' é ', sid: 'a;b' },
      { target: "/a/it's%20(x)?page[size]=5&q=it%27s!", headers: ['x-tag', 'é'], cookie: 'sid=a%3Bb' },
    ],
    [
      'of a plain value next to a styled one',
      {
        path: { id: 'id', v: { argument: 'v', style: 'matrix', explode: false } },
        query: { 'a[]': 'a', b: { argument: 'b', style: 'form', explode: false } },
      },
      '/{id}{v}',
      { id: "it's", v: 1, a: '(x)', b: ['y', "'"] },
      { target: '/it%27s;v=1?a%5B%5D=(x)&b=y,%27' },
    ],
    ['of names that a query must escape', { query: { 'a b&c': 'a' } }, '/x', { a: 1 }, { target: '/x?a%20b%26c=1' }],
    ['of a path with characters that no URL has', {}, '/a b/é"<>/{', {}, { target: '/a%20b/%C3%A9%22%3C%3E/%7B' }],
    ['of a path with #, which would cut it', {}, '/bucket#tagging', {}, { target: '/bucket%23tagging' }],
    [
      'without missing arguments, whatever their names',
      { query: { a: 'constructor', b: 'toString' }, header: { c: '__proto__' }, body: JSON_BODY },
      '/x',
      {},
      { target: '/x', headers: [], cookie: null, body: '{"always":[1]}', contentType: 'application/json' },
    ],
    [
      'with arguments named like built-in properties',
      { query: { a: 'constructor' }, header: { c: '__proto__' } },
      '/x',
      JSON.parse('{"constructor":"d","__proto__":"e"}'),
      { target: '/x?a=d', headers: ['c', 'e'] },
    ],
    [
      'with a default where the argument is not given',
      { query: { size: { argument: 'size', default: 100 }, q: 'q' } },
      '/x',
      { q: 'a' },
      { target: '/x?size=100&q=a' },
    ],
    [
      'without a default where the argument is given',
      { query: { size: { argument: 'size', default: 100 } } },
      '/x',
      { size: 0 },
      { target: '/x?size=0' },
    ],
    [
      'with null for every member to clear',
      { body: { mediaType: 'application/json', clear: 'clear', members: { a_b: 'aB', c: 'c', d: 'd' } } },
      '/x',
      { c: 1, clear: ['aB'] },
      { body: '{"a_b":null,"c":1}' },
    ],
    [
      'with null and a lone surrogate, but no undefined, in JSON',
      { body: JSON_BODY },
      '/x',
      { b: { c: null, d: '\ud800', e: undefined } },
      { body: '{"b":{"c":null,"d":"\\ud800"},"always":[1]}' },
    ],
    [
      'with an object built from arguments',
      { query: { f: { entries: { '{key}': 'value', fixed: 'other' }, style: 'form', explode: true } } },
      '/x',
      { key: 'date.gte', value: '2026', other: undefined },
      { target: '/x?date.gte=2026' },
    ],
    [
      'without a member whose name is missing',
      { body: { mediaType: 'application/json', members: { f: { entries: { '{key}': 'value' } } } } },
      '/x',
      { value: 1 },
      { body: '{"f":{}}' },
    ],
    [
      'with a body of one JSON value, as the first type of a range',
      { body: { mediaType: '*/*', argument: 'body' } },
      '/x',
      { body: null },
      { body: 'null', contentType: 'application/json' },
    ],
    [
      'with text of any type',
      { body: { mediaType: 'text/*', as: 'text', argument: 'body' } },
      '/x',
      { body: '' },
      { body: '', contentType: 'text/plain' },
    ],
    [
      'with a file under its own type, in lower case',
      { body: { mediaType: 'image/*', as: 'file', argument: 'body' } },
      '/x',
      { body: { data: 'aGk=', mimeType: 'image/PNG' } },
      { body: Buffer.from('hi'), contentType: 'image/png' },
    ],
    [
      'without a body where no argument is given',
      { body: { mediaType: 'application/json', optional: true, members: { a: 'a' } } },
      '/x',
      {},
      { body: null, contentType: null },
    ],
  ])('%s', (_, request, path, args, want) => {
    expect(writeRequest(request, args, path)).toMatchObject({ method: 'POST', ...want });
  });

  it('has a target that no URL parser changes', () => {
    const request: ToolRequest = {
      path: { id: 'a', v: { argument: 'b', style: 'matrix', explode: true } },
      query: { a: 'a', b: { argument: 'b', style: 'form', explode: false, allowReserved: true }, c: 'c' },
    };
    const plain: ToolRequest = { path: { id: 'a', v: 'c' }, query: { a: 'a', 'c[]': 'c' } };
    const text = textArbitrary.filter((one) => !['', '.', '..'].includes(one));
    const args = fc.record({ a: text, b: fc.array(textArbitrary, { minLength: 1 }), c: text });
    fc.assert(
      fc.property(fc.constantFrom(request, plain), args, (drawn, values) => {
        const { target } = writeRequest(drawn, values, '/é x/{id}/{v}');
        const url = new URL(`https://x.example${target}`);
        expect(`${url.pathname}${url.search}${url.hash}`).toBe(target);
      }),
    );
  });
});

describe('arguments that become path segments', () => {
  it.each<[title: string, path: ToolRequest['path'], want: readonly string[]]>([
    ['a plain value', { x: 'a' }, ['a']],
    ['a label', { x: { argument: 'a', style: 'label', explode: false } }, ['a']],
    ['a text document', { x: { argument: 'a', content: 'text/plain' } }, ['a']],
    ['not a matrix, which includes its name', { x: { argument: 'a', style: 'matrix', explode: true } }, []],
    ['not a JSON document, which includes quotes', { x: { argument: 'a', content: 'application/json' } }, []],
    ['not a constant', { x: { constant: 'a' } }, []],
    ['not a member of an object, which is checked with the others', { x: { entries: { size: 'a' } } }, []],
  ])('%s', (_, path, want) => {
    expect(pathArguments({ request: { path: path ?? {} } })).toEqual(want);
  });
});
