import { describe, expect, it } from 'vitest';
import type { CookieStyle, HeaderStyle, PathStyle, QueryStyle } from '../../../../../server/contract/index.ts';
import { writeCookies, writeHeaders, writePath, writeQuery } from './written.ts';

const STRING = 'blue';
const ARRAY = ['blue', 'black', 'brown'];
const OBJECT = { R: 100, G: 200, B: 150 };

const COLORS: readonly [title: string, value: unknown][] = [
  ['string', STRING],
  ['array', ARRAY],
  ['object', OBJECT],
];

type Row = readonly [style: string, explode: boolean, string: string, array: string, object: string];

const PATH: readonly Row[] = [
  ['matrix', false, ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
  ['matrix', true, ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
  ['label', false, '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
  ['label', true, '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
  ['simple', false, 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  ['simple', true, 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
];

const QUERY: readonly Row[] = [
  ['form', false, 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  ['form', true, 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  ['spaceDelimited', false, 'color=blue', 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150'],
  ['pipeDelimited', false, 'color=blue', 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
  [
    'deepObject',
    true,
    'color=blue',
    'color=blue&color=black&color=brown',
    'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150',
  ],
];

const HEADER: readonly Row[] = [
  ['simple', false, 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  ['simple', true, 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
];

const COOKIE: readonly Row[] = [
  ['form', false, 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  ['form', true, 'color=blue', 'color=blue; color=black; color=brown', 'R=100; G=200; B=150'],
];

const cells = (rows: readonly Row[]) =>
  rows.flatMap(([style, explode, ...wants]) =>
    COLORS.map(([title, value], index) => ({ style, explode, title, value, want: wants[index]! })),
  );

describe('Style Examples (OpenAPI 3.1.2 §4.8.12)', () => {
  it.each(cells(PATH))('path: $style, explode $explode, $title: $want', ({ style, explode, value, want }) => {
    expect(writePath({ color: { style, explode } as PathStyle }, '/cars/{color}/parts', { color: value })).toBe(
      `/cars/${want}/parts`,
    );
  });

  it.each(cells(QUERY))('query: $style, explode $explode, $title: $want', ({ style, explode, value, want }) => {
    expect(writeQuery({ color: { style, explode, allowReserved: false } as QueryStyle }, { color: value })).toBe(want);
  });

  it.each(cells(HEADER))('header: $style, explode $explode, $title: $want', ({ style, explode, value, want }) => {
    expect(writeHeaders({ color: { style, explode } as HeaderStyle }, { color: value })).toEqual({ color: want });
  });

  it.each(cells(COOKIE))('cookie: $style, explode $explode, $title: $want', ({ style, explode, value, want }) => {
    expect(writeCookies({ color: { style, explode } as CookieStyle }, { color: value })).toBe(want);
  });
});

const NOTHING: readonly [title: string, value: unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['an empty array', []],
  ['an array of null', [null]],
  ['an empty object', {}],
  ['an object of null', { R: null }],
];

describe('values that RFC 6570 §2.3 calls undefined', () => {
  describe.each(NOTHING)('%s', (_, value) => {
    it.each(QUERY)('is left out of a query: %s, explode %s', (style, explode) => {
      const styles = { color: { style, explode, allowReserved: false } as QueryStyle };
      expect(writeQuery(styles, { color: value, size: 1 })).toBe('size=1');
    });

    it.each([false, true])('is left out of the headers: explode %s', (explode) => {
      expect(writeHeaders({ color: { style: 'simple', explode } }, { color: value, size: 1 })).toEqual({ size: '1' });
    });

    it.each([false, true])('is left out of the cookies: explode %s', (explode) => {
      expect(writeCookies({ color: { style: 'form', explode } }, { color: value, size: 1 })).toBe('size=1');
      expect(writeCookies({ color: { style: 'form', explode } }, { color: value })).toBeNull();
    });

    it.each(PATH)('is rejected in a path: %s, explode %s', (style, explode) => {
      expect(() => writePath({ color: { style, explode } as PathStyle }, '/cars/{color}', { color: value })).toThrow(
        '"color" cannot be the path parameter "color": it would put nothing between two slashes of the path.',
      );
    });
  });
});

describe('the empty string', () => {
  it.each([
    ['a query', writeQuery({}, { color: '' }), 'color='],
    ['a header', writeHeaders({}, { color: '' }), { color: '' }],
    ['the cookies', writeCookies({}, { color: '' }), 'color='],
    [
      'a matrix path, without an equals sign',
      writePath({ color: { style: 'matrix', explode: false } }, '/cars/{color}', { color: '' }),
      '/cars/;color',
    ],
    [
      'an exploded matrix array',
      writePath({ color: { style: 'matrix', explode: true } }, '/cars/{color}', { color: ['', 'b'] }),
      '/cars/;color;color=b',
    ],
    [
      'an exploded matrix object',
      writePath({ color: { style: 'matrix', explode: true } }, '/cars/{color}', { color: { R: '', G: 1 } }),
      '/cars/;R;G=1',
    ],
    [
      'an array in a path',
      writePath({ color: { style: 'simple', explode: false } }, '/cars/{color}', { color: ['', 'b'] }),
      '/cars/,b',
    ],
    [
      'a label object in a path',
      writePath({ color: { style: 'label', explode: true } }, '/cars/{color}', { color: { R: '', G: '' } }),
      '/cars/.R=.G=',
    ],
  ])('is written in %s', (_, written, want) => {
    expect(written).toEqual(want);
  });
});
