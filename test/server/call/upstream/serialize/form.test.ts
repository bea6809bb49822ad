import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueryStyle } from '../../../../../server/contract/index.ts';
import { textArbitrary } from '../../../../support/schema-arbitrary.ts';
import { writeForm, writeRequest } from './written.ts';

const ROWS: readonly [title: string, style: Partial<QueryStyle> | null, value: unknown, want: string][] = [
  ['a string', null, 'a b+c&d=e%é', 'x=a%20b%2Bc%26d%3De%25%C3%A9'],
  ['an empty string', null, '', 'x='],
  ['a number', null, 12.5, 'x=12.5'],
  ['false', null, false, 'x=false'],
  ['null as nothing', null, null, ''],
  ['an array as one pair for each item', null, ['a b', 2], 'x=a%20b&x=2'],
  ['an empty array as nothing', null, [], ''],
  [
    'an object as JSON text',
    null,
    { a: [1, null], b: 'c d' },
    'x=%7B%22a%22%3A%5B1%2Cnull%5D%2C%22b%22%3A%22c%20d%22%7D',
  ],
  ['objects in an array as JSON texts', null, [{ a: 1 }, { b: 2 }], 'x=%7B%22a%22%3A1%7D&x=%7B%22b%22%3A2%7D'],
  ['form, exploded array', {}, ['a', 'b'], 'x=a&x=b'],
  ['form, unexploded array', { explode: false }, ['a,b', 'c d'], 'x=a%2Cb,c%20d'],
  ['form, exploded object', {}, { r: 100, g: 'a b' }, 'r=100&g=a%20b'],
  ['form, unexploded object', { explode: false }, { r: 100, g: 200 }, 'x=r,100,g,200'],
  ['spaceDelimited', { style: 'spaceDelimited', explode: false }, ['a', 'b'], 'x=a%20b'],
  ['pipeDelimited', { style: 'pipeDelimited', explode: false }, ['a', 'b c'], 'x=a%7Cb%20c'],
  ['deepObject, an array', { style: 'deepObject' }, ['customer', 'charge'], 'x%5B0%5D=customer&x%5B1%5D=charge'],
  ['deepObject, an object', { style: 'deepObject' }, { order_id: '6735' }, 'x%5Border_id%5D=6735'],
  [
    'deepObject, objects in an array',
    { style: 'deepObject' },
    [
      { price: 'p', tax: [1, 2] },
      { price: 'q', tax: null },
    ],
    'x%5B0%5D%5Bprice%5D=p&x%5B0%5D%5Btax%5D%5B0%5D=1&x%5B0%5D%5Btax%5D%5B1%5D=2&x%5B1%5D%5Bprice%5D=q',
  ],
  ['deepObject, an array with a hole', { style: 'deepObject' }, ['a', null, 'b'], 'x%5B0%5D=a&x%5B1%5D=b'],
  ['deepObject, text', { style: 'deepObject' }, '', 'x='],
  ['reserved characters where they are allowed', { allowReserved: true }, 'a/b:c?d@e&f', 'x=a/b:c?d@e%26f'],
];

describe('a form', () => {
  it.each(ROWS)('writes %s', (_title, style, value, want) => {
    const styles: Record<string, QueryStyle> =
      style === null ? {} : { x: { style: 'form', explode: true, allowReserved: false, ...style } };
    expect(writeForm(styles, { x: value })).toBe(want);
  });

  it.each<[string, Partial<QueryStyle>, unknown, string]>([
    [
      'a space between spaces',
      { style: 'spaceDelimited', explode: false },
      ['a b'],
      'a space would split an element in two',
    ],
    [
      'a bar between bars',
      { style: 'pipeDelimited', explode: false },
      ['a|b'],
      'a vertical bar would split an element in two',
    ],
    ['a bracket in a deep name', { style: 'deepObject' }, { 'a]': 1 }, 'the name of a member holds a bracket'],
    ['a member with the name of another', {}, { y: 1 }, 'its member "y" would be sent as a part of "y"'],
  ])('rejects %s', (_title, style, value, problem) => {
    const styles = { x: { style: 'form', explode: true, allowReserved: false, ...style } as QueryStyle };
    expect(() => writeForm(styles, { x: value, y: 2 })).toThrow(problem);
  });

  it('writes members in their order, with escaped names', () => {
    expect(writeForm({}, { 'a&b': 1, c: undefined, 'items[]': ['x', 'y'] })).toBe(
      'a%26b=1&items%5B%5D=x&items%5B%5D=y',
    );
  });

  it('writes a body that is already text unchanged', () => {
    const mediaType = 'application/x-www-form-urlencoded';
    const { body } = writeRequest({ body: { mediaType, as: 'form', argument: 'body' } }, { body: 'a=1&b=2' });
    expect(body).toBe('a=1&b=2');
  });

  it('does not take a style from the prototype of the styles', () => {
    expect(writeForm({}, { constructor: ['x', 'y'] })).toBe('constructor=x&constructor=y');
  });

  it('is read back by an independent parser', async () => {
    const form = fc.dictionary(textArbitrary, fc.oneof(textArbitrary, fc.array(textArbitrary, { minLength: 1 })), {
      noNullPrototype: true,
    });
    await fc.assert(
      fc.asyncProperty(form, async (members) => {
        const text = writeForm({}, members);
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const parsed = await new Response(text, { headers }).formData();
        const want = Object.entries(members).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
        expect([...parsed]).toEqual(want);
      }),
    );
  });
});
