import { describe, expect, it } from 'vitest';
import { CannotSendError } from '../../../../../server/call/upstream/serialize-sources.ts';
import type { QueryStyle } from '../../../../../server/contract/index.ts';
import { writeQuery } from './written.ts';

const ROWS: readonly [string, Partial<QueryStyle>, unknown, string][] = [
  ['form, exploded array', {}, ['a', 'b'], 'x=a&x=b'],
  ['form, unexploded array', { explode: false }, ['a b', 'c,d'], 'x=a%20b,c%2Cd'],
  ['spaceDelimited array', { style: 'spaceDelimited', explode: false }, ['a', 'b'], 'x=a%20b'],
  ['spaceDelimited exploded array', { style: 'spaceDelimited' }, ['a', 'b'], 'x=a&x=b'],
  ['pipeDelimited array', { style: 'pipeDelimited', explode: false }, [1, 2], 'x=1%7C2'],
  ['form, exploded object', {}, { 'date.gte': '2026-01-01', ticker: 'A&B' }, 'date.gte=2026-01-01&ticker=A%26B'],
  ['form, unexploded object', { explode: false }, { r: 100, g: 200 }, 'x=r,100,g,200'],
  ['spaceDelimited object', { style: 'spaceDelimited', explode: false }, { r: 1, g: 2 }, 'x=r%201%20g%202'],
  ['pipeDelimited object', { style: 'pipeDelimited', explode: false }, { r: 1, g: 2 }, 'x=r%7C1%7Cg%7C2'],
  ['deepObject', { style: 'deepObject' }, { r: 1, n: { m: true } }, 'x%5Br%5D=1&x%5Bn%5D%5Bm%5D=true'],
  ['deepObject with an array', { style: 'deepObject' }, { r: [1, 2] }, 'x%5Br%5D=1&x%5Br%5D=2'],
  ['reserved characters where they are allowed', { allowReserved: true }, 'a/b:c?d@e$f,g;h=i', 'x=a/b:c?d@e$f,g;h=i'],
  [
    'characters that would end the value, even where reserved ones are allowed',
    { allowReserved: true },
    'a&b=c#d+e[f]%20',
    'x=a%26b=c%23d%2Be%5Bf%5D%2520',
  ],
  [
    'a delimiter in an element, even where reserved ones are allowed',
    { allowReserved: true, explode: false },
    ['a,b:c', 'd'],
    'x=a%2Cb:c,d',
  ],
  ['a deep object with empty members', { style: 'deepObject' }, { a: {}, b: [], c: '' }, 'x%5Bc%5D='],
  [
    'an object in an array of a deep object as JSON',
    { style: 'deepObject' },
    { r: [{ a: 1 }] },
    'x%5Br%5D=%7B%22a%22%3A1%7D',
  ],
  ['an array in an exploded object', {}, { a: [1, 2] }, 'a=1&a=2'],
  ['nested values next to a delimiter as JSON', { explode: false }, [[1, 2], 'a'], 'x=%5B1%2C2%5D,a'],
  ['an object in an array as JSON', {}, [{ a: 1 }], 'x=%7B%22a%22%3A1%7D'],
  ['an empty array as nothing', {}, [], ''],
  ['an empty object as nothing', {}, {}, ''],
  ['null and undefined elements as nothing', {}, ['a', null, undefined], 'x=a'],
  ['false and 0 unchanged', {}, [false, 0], 'x=false&x=0'],
  ['null as nothing', {}, null, ''],
];

const DOCUMENTS: readonly [string, string, unknown, string][] = [
  [
    'an object',
    'application/json',
    { a: ['b c', 1], d: null },
    'x=%7B%22a%22%3A%5B%22b%20c%22%2C1%5D%2C%22d%22%3Anull%7D',
  ],
  ['an empty array', 'application/json', [], 'x=%5B%5D'],
  ['a string', 'application/problem+json', 'a', 'x=%22a%22'],
  ['null', 'application/json', null, 'x=null'],
  ['a text document', 'text/plain', "it's a&b", 'x=it%27s%20a%26b'],
  ['a number as text', 'text/plain', 5, 'x=5'],
  ['null as text, which is nothing', 'text/plain', null, ''],
  ['undefined, which is nothing', 'application/json', undefined, ''],
];

const REFUSED: readonly [string, Partial<QueryStyle>, unknown, string][] = [
  [
    'a space between spaces',
    { style: 'spaceDelimited', explode: false },
    ['a b'],
    'a space would split an element in two',
  ],
  [
    'a bar between bars',
    { style: 'pipeDelimited', explode: false },
    { a: 'b|c' },
    'a vertical bar would split an element in two',
  ],
  [
    'a bar in a name between bars',
    { style: 'pipeDelimited', explode: false },
    { 'a|b': 1 },
    'a vertical bar would split an element in two',
  ],
  [
    'brackets in a name of a deep object',
    { style: 'deepObject' },
    { 'a][b': 1 },
    'the name of a member holds a bracket',
  ],
  [
    'a member with the name of another parameter',
    {},
    { limit: 1 },
    'its member "limit" would be sent as a part of "limit"',
  ],
];

describe('a query (OpenAPI 3.1 §4.8.12.2)', () => {
  for (const [title, style, value, want] of ROWS) {
    it(`writes ${title}`, () => {
      const styles = { x: { style: 'form', explode: true, allowReserved: false, ...style } as QueryStyle };
      expect(writeQuery(styles, { x: value })).toBe(want);
    });
  }

  for (const [title, content, value, want] of DOCUMENTS) {
    it(`writes a document: ${title}`, () => {
      expect(writeQuery({ x: { content } }, { x: value })).toBe(want);
    });
  }

  for (const [title, style, value, problem] of REFUSED) {
    it(`rejects ${title}`, () => {
      const styles = { x: { style: 'form', explode: true, allowReserved: false, ...style } as QueryStyle };
      expect(() => writeQuery(styles, { x: value, limit: undefined })).toThrow(
        new CannotSendError({ place: 'query', parameter: 'x', argument: 'x' }, problem),
      );
    });
  }

  it('rejects a member that two exploded objects have', () => {
    const style = { style: 'form', explode: true, allowReserved: false } as const;
    expect(() => writeQuery({ x: style, y: style }, { x: { a: 1 }, y: { a: 2 } })).toThrow(
      '"y" cannot be the query parameter "y": its member "a" would be sent as a part of "x".',
    );
  });

  it('writes parameters without a style as name=value, in their order', () => {
    const styles = { ids: { style: 'form', explode: true } } as const;
    expect(writeQuery(styles, { cursor: 'a b', ids: [1, 2], limit: 10, none: undefined })).toBe(
      'cursor=a%20b&ids=1&ids=2&limit=10',
    );
  });

  it('escapes a name that a caller chose', () => {
    const styles = { filters: { style: 'form', explode: true } } as const;
    expect(writeQuery(styles, { filters: { 'a&api_key=1': 'x' } })).toBe('a%26api_key%3D1=x');
  });

  it('does not take a style from the prototype of the styles', () => {
    expect(writeQuery({}, { constructor: 'x', toString: 'y' })).toBe('constructor=x&toString=y');
  });
});
