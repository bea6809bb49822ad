import { describe, expect, it } from 'vitest';
import type { QueryStyle } from '../../../server/tools/contract.ts';
import { createQuerySerializer } from '../../../server/upstream/query.ts';

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
  ['what would end the value, even so', { allowReserved: true }, 'a&b=c#d+e[f]%20', 'x=a%26b=c%23d%2Be%5Bf%5D%2520'],
  ['an object in an array as JSON', {}, [{ a: 1 }], 'x=%7B%22a%22%3A1%7D'],
  ['no elements as nothing', {}, [], ''],
  ['no members as nothing', {}, {}, ''],
  ['null and undefined elements as nothing', {}, ['a', null, undefined], 'x=a'],
  ['false and 0 as they are', {}, [false, 0], 'x=false&x=0'],
  ['null as nothing', {}, null, ''],
];

describe('createQuerySerializer (OpenAPI 3.1 §4.8.12.2)', () => {
  for (const [title, style, value, want] of ROWS) {
    it(`writes ${title}`, () => {
      const styles = { x: { style: 'form', explode: true, allowReserved: false, ...style } as QueryStyle };
      expect(createQuerySerializer(styles)({ x: value })).toBe(want);
    });
  }

  it('writes parameters without a style as name=value, in their order', () => {
    const serialize = createQuerySerializer({ ids: { style: 'form', explode: true, allowReserved: false } });
    expect(serialize({ cursor: 'a b', ids: [1, 2], limit: 10, none: undefined })).toBe(
      'cursor=a%20b&ids=1&ids=2&limit=10',
    );
  });

  it('escapes a name that a caller chose', () => {
    const serialize = createQuerySerializer({ filters: { style: 'form', explode: true, allowReserved: false } });
    expect(serialize({ filters: { 'a&api_key=1': 'x' } })).toBe('a%26api_key%3D1=x');
  });

  it('does not take a style from the prototype of the styles', () => {
    expect(createQuerySerializer({})({ constructor: 'x', toString: 'y' })).toBe('constructor=x&toString=y');
  });
});
