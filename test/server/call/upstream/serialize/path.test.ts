import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CannotSendError } from '../../../../../server/call/upstream/serialize-sources.ts';
import type { ContentStyle, PathStyle } from '../../../../../server/contract/index.ts';
import { numRuns } from '../../../../support/num-runs.ts';
import { textArbitrary } from '../../../../support/schema-arbitrary.ts';
import { writePath } from './written.ts';

type Style = PathStyle | ContentStyle;

const STYLES: readonly [title: string, style: Style][] = [
  ...(['simple', 'label', 'matrix'] as const).flatMap((style) =>
    [false, true].map((explode): [string, Style] => [`${style}, explode ${explode}`, { style, explode }]),
  ),
  ['application/json', { content: 'application/json' }],
  ['text/plain', { content: 'text/plain' }],
];

const ID = { place: 'path', parameter: 'id', argument: 'id' } as const;

describe('a path', () => {
  it.each<[title: string, style: Style, value: unknown, want: string]>([
    [
      'everything but unreserved characters',
      { style: 'label', explode: false },
      "a/b?c#d%2F!'()*;,=~-_.",
      '.a%2Fb%3Fc%23d%252F%21%27%28%29%2A%3B%2C%3D~-_.',
    ],
    ['a delimiter inside an element', { style: 'simple', explode: false }, ['a,b', 'c'], 'a%2Cb,c'],
    ['a semicolon inside an element', { style: 'matrix', explode: true }, ['a;b', 'c=d'], ';id=a%3Bb;id=c%3Dd'],
    [
      'names and values of an object',
      { style: 'matrix', explode: true },
      { 'a b': 'ä', '=': '/' },
      ';a%20b=%C3%A4;%3D=%2F',
    ],
    ['a number, true and false', { style: 'label', explode: true }, [0, 15, true, false], '.0.15.true.false'],
    ['nested values as JSON', { style: 'simple', explode: true }, { a: { b: [1] } }, 'a=%7B%22b%22%3A%5B1%5D%7D'],
    ['a JSON document', { content: 'application/json' }, { a: ['x/y'] }, '%7B%22a%22%3A%5B%22x%2Fy%22%5D%7D'],
    ['a JSON document that is null', { content: 'application/vnd.x+json; v=1' }, null, 'null'],
    ['a JSON document that is a string of dots', { content: 'application/json' }, '..', '%22..%22'],
    ['a text document', { content: 'text/plain' }, 'a, b', 'a%2C%20b'],
  ])('escapes %s', (_, style, value, want) => {
    expect(writePath({ id: style }, 'https://x.example/v1/{id}/y', { id: value })).toBe(
      `https://x.example/v1/${want}/y`,
    );
  });

  it('writes parameters without a style as one value', () => {
    const styles = { ids: { style: 'matrix', explode: false } } as const;
    expect(writePath(styles, '/{a}/x{ids}.{b}', { a: 'p/q', ids: [1, 2], b: 'json' })).toBe('/p%2Fq/x;ids=1,2.json');
  });

  it('writes a name that URI templates would treat as an operator', () => {
    expect(writePath({}, '/{.id}/{;x}/{y*}', { '.id': 'a', ';x': 'b', 'y*': 'c' })).toBe('/a/b/c');
  });

  it('does not read braces in a value as a parameter', () => {
    expect(writePath({}, '/{a}/{b}', { a: '{b}', b: 'x' })).toBe('/%7Bb%7D/x');
  });

  it.each<[title: string, style: Style, path: string, value: unknown, segment: string]>([
    ['a dot after the dot of a label', { style: 'label', explode: false }, '/a/{id}/b', '.', '".."'],
    ['nothing after the dot of a label', { style: 'label', explode: false }, '/a/{id}/b', '', '"."'],
    ['a label array of empty strings', { style: 'label', explode: true }, '/a/{id}/b', ['', ''], '".."'],
    ['a label array of one empty string', { style: 'label', explode: false }, '/a/{id}/b', [''], '"."'],
    ['an array of two dots', { style: 'simple', explode: false }, '/a/{id}/b', ['..'], '".."'],
    ['an array of an empty string', { style: 'simple', explode: false }, '/a/{id}/b', [''], 'nothing'],
    ['a dot next to a literal dot', { style: 'simple', explode: false }, '/a/.{id}/b', '.', '".."'],
    ['a dot next to an encoded dot', { style: 'simple', explode: false }, '/a/%2e{id}/b', ['.'], '".."'],
    ['a dot at the end of the path', { style: 'simple', explode: false }, '/a/{id}', '..', '".."'],
    ['dots before path parameters', { style: 'simple', explode: false }, '/a/{id};v=1/b', '..', '".."'],
    ['an empty text document', { content: 'text/plain' }, '/a/{id}/b', '', 'nothing'],
    ['a text document of dots', { content: 'text/plain' }, '/a/{id}/b', '..', '".."'],
  ])('rejects %s', (_, style, path, value, segment) => {
    expect(() => writePath({ id: style }, path, { id: value })).toThrow(
      new CannotSendError(ID, `it would put ${segment} between two slashes of the path`),
    );
  });

  it.each<[title: string, value: unknown]>([
    ['an array', ['1.5', 'a']],
    ['an array of a dot', ['.']],
    ['a value of an object', { a: 1.5 }],
    ['a name of an object', { 'a.b': 1 }],
    ['nested values', [{ a: '1.5' }]],
  ])('rejects a dot inside an element of an exploded label: %s', (_, value) => {
    expect(() => writePath({ id: { style: 'label', explode: true } }, '/a/{id}', { id: value })).toThrow(
      new CannotSendError(ID, 'a dot would split an element in two'),
    );
  });

  it.each<[title: string, style: Style, value: unknown, want: string]>([
    ['a dot in a joined label', { style: 'label', explode: false }, ['1.5', '2'], '/a/.1.5,2/b'],
    ['dots after the dot of a label', { style: 'label', explode: false }, '..', '/a/.../b'],
    ['dots as a matrix value', { style: 'matrix', explode: false }, '..', '/a/;id=../b'],
    ['dots in a list', { style: 'simple', explode: false }, ['..', '..'], '/a/..,../b'],
  ])('sends %s, which cannot change the path', (_, style, value, want) => {
    const written = writePath({ id: style }, '/a/{id}/b', { id: value });
    expect(written).toBe(want);
    expect(new URL(written, 'https://x.example').pathname).toBe(want);
  });

  const dotted = fc.oneof(textArbitrary, fc.constantFrom('', '.', '..', '/', '%2e', '\\', '?', '#', ';', '../', '.;'));
  const value = fc.oneof(
    dotted,
    fc.array(dotted, { maxLength: 3 }),
    fc.dictionary(dotted, dotted, { maxKeys: 3 }),
    fc.array(fc.array(dotted, { maxLength: 2 }), { maxLength: 2 }),
  );
  it.each(STYLES)('lets no value leave or cut the path: %s', (_, style) => {
    const paths = ['/a/{id}/b', '/a/{id}{other}/b', '/a/.{id}/b', '/a/{other}.{id}/b', '/a/{id}'];
    fc.assert(
      fc.property(fc.constantFrom(...paths), value, dotted, (path, id, other) => {
        let written: string;
        try {
          written = writePath({ id: style, other: style }, path, { id, other });
        } catch (error) {
          expect(error).toBeInstanceOf(CannotSendError);
          return;
        }
        const url = new URL(`https://x.example${written}`);
        expect(url.href).toBe(`https://x.example${written}`);
        expect(url.pathname.split('/').length).toBe(path.split('/').length);
        expect(url.pathname.startsWith('/a/') && url.pathname.endsWith(path.endsWith('/b') ? '/b' : '')).toBe(true);
        expect(url.pathname.split('/').slice(1)).not.toContain('');
        expect([url.search, url.hash]).toEqual(['', '']);
      }),
      { numRuns: numRuns(500) },
    );
  });
});
