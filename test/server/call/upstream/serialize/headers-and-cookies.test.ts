import { describe, expect, it } from 'vitest';
import { CannotSendError } from '../../../../../server/call/upstream/serialize-sources.ts';
import type { ContentStyle, CookieStyle, HeaderStyle } from '../../../../../server/contract/index.ts';
import { callUpstream, startHost } from '../support.ts';
import { writeCookies, writeHeaders } from './written.ts';

const JSON_TYPE = { content: 'application/json' };
const TEXT_TYPE = { content: 'text/plain; charset=utf-8' };

describe('the headers', () => {
  it.each<[title: string, style: HeaderStyle | ContentStyle | null, value: unknown, want: string]>([
    ['a value unchanged, without percent-encoding', null, 'W/"a b", c%20d; é', 'W/"a b", c%20d; é'],
    ['an array without spaces', { style: 'simple', explode: false }, ['a b', '"c"', 1, true], 'a b,"c",1,true'],
    ['empty elements', { style: 'simple', explode: false }, ['', 'a', ''], ',a,'],
    ['an equals sign in a value', { style: 'simple', explode: true }, { a: 'b=c' }, 'a=b=c'],
    [
      'a JSON document in ASCII',
      JSON_TYPE,
      { ä: ['中', '😀', '\u007f', 'a\nb'] },
      '{"\\u00e4":["\\u4e2d","\\ud83d\\ude00","\\u007f","a\\nb"]}',
    ],
    ['a JSON document that is null', JSON_TYPE, null, 'null'],
    ['a text document', TEXT_TYPE, 'a, b; é', 'a, b; é'],
    ['a number as a text document', TEXT_TYPE, 5, '5'],
  ])('writes %s', (_, style, value, want) => {
    expect(writeHeaders(style === null ? {} : { x: style }, { x: value })).toEqual({ x: want });
  });

  it.each<[title: string, style: HeaderStyle | ContentStyle | null, value: unknown, problem: string]>([
    ['a line feed', null, 'a\nX-Admin: 1', 'it holds a line break'],
    ['a carriage return', null, 'a\rb', 'it holds a line break'],
    ['NUL', null, 'a\0b', 'it holds a control character'],
    ['a control character', null, 'a\u0001b', 'it holds a control character'],
    ['DEL', null, 'a\u007fb', 'it holds a control character'],
    ['a character beyond Latin-1', null, 'a中', 'it holds a character beyond Latin-1'],
    ['a line break in an element', { style: 'simple', explode: false }, ['a', 'b\nc'], 'it holds a line break'],
    [
      'a line break in the name of a member',
      { style: 'simple', explode: true },
      { 'a\nb': 1 },
      'it holds a line break',
    ],
    ['a line break in a text document', TEXT_TYPE, 'a\nb', 'it holds a line break'],
    ['a comma in an element', { style: 'simple', explode: false }, ['a,b'], 'a comma would split an element in two'],
    [
      'a comma in the name of a member',
      { style: 'simple', explode: false },
      { 'a,b': 1 },
      'a comma would split an element in two',
    ],
    [
      'nested values, whose JSON contains a comma',
      { style: 'simple', explode: false },
      [[1, 2]],
      'a comma would split an element in two',
    ],
    [
      'a leading or trailing space in an element',
      { style: 'simple', explode: false },
      [' a'],
      'an element begins or ends with a space',
    ],
    [
      'an equals sign in the name of a member',
      { style: 'simple', explode: true },
      { 'a=b': 1 },
      'the name of a member holds an equals sign',
    ],
  ])('rejects %s', (_, style, value, problem) => {
    const write = () => writeHeaders(style === null ? {} : { x: style }, { x: value });
    expect(write).toThrow(new CannotSendError({ place: 'header', parameter: 'x', argument: 'x' }, problem));
  });

  it('accepts every character that a header can carry', () => {
    const codes = Array.from({ length: 0x100 }, (_, code) => code);
    const isRefused = (code: number) => {
      try {
        writeHeaders({}, { x: `a${String.fromCharCode(code)}b` });
        return false;
      } catch (error) {
        expect(error).toBeInstanceOf(CannotSendError);
        return true;
      }
    };
    expect(codes.filter(isRefused)).toEqual([
      ...Array.from({ length: 32 }, (_, code) => code).filter((code) => code !== 9),
      0x7f,
    ]);
  });

  it('does not take a style from the prototype of the styles', () => {
    expect(writeHeaders({}, { constructor: 'x' })).toEqual({ constructor: 'x' });
  });
});

describe('the cookies', () => {
  it.each<[title: string, style: CookieStyle | ContentStyle | null, value: unknown, want: string]>([
    [
      'characters that a cookie may not contain',
      null,
      'a;b,c d"e\\f=g%中\n',
      'x=a%3Bb%2Cc%20d%22e%5Cf%3Dg%25%E4%B8%AD%0A',
    ],
    ['0 and false', { style: 'form', explode: true }, [0, false], 'x=0; x=false'],
    ['a comma inside an element', { style: 'form', explode: false }, ['a,b', 'c'], 'x=a%2Cb,c'],
    ['names of members', { style: 'form', explode: true }, { 'a;b': 1, é: 2 }, 'a%3Bb=1; %C3%A9=2'],
    ['nested values as JSON', { style: 'form', explode: false }, [{ a: 1 }], 'x=%7B%22a%22%3A1%7D'],
    ['a JSON document', JSON_TYPE, { a: '; b' }, 'x=%7B%22a%22%3A%22%3B%20b%22%7D'],
    ['a JSON document that is null', JSON_TYPE, null, 'x=null'],
  ])('escapes %s', (_, style, value, want) => {
    const header = writeCookies(style === null ? {} : { x: style }, { x: value });
    expect(header).toBe(want);
    expect(header).toMatch(/^[!#-+\--:<-[\]-~,]+(; [!#-+\--:<-[\]-~]+)*$/);
  });

  it('sends a text document unchanged', () => {
    expect(writeCookies({ x: TEXT_TYPE }, { x: 'a=1&b="2, 3"%20' })).toBe('x=a=1&b="2, 3"%20');
  });

  it.each<[style: CookieStyle, value: unknown, want: string]>([
    [{ style: 'cookie', explode: true }, 'a=b%2C', 'x=a=b%2C'],
    [{ style: 'cookie', explode: true }, ['a,b', 1], 'x=a,b; x=1'],
    [{ style: 'cookie', explode: true }, { theme: 'dark=1', size: 2 }, 'theme=dark=1; size=2'],
    [{ style: 'cookie', explode: false }, ['a', 'b'], 'x=a,b'],
  ])('sends the style cookie unchanged: %j %j', (style, value, want) => {
    expect(writeCookies({ x: style }, { x: value })).toBe(want);
  });

  it.each(['a; admin=1', 'é', ' a'])('rejects %j in the style cookie', (value) => {
    expect(() => writeCookies({ x: { style: 'cookie', explode: true } }, { x: value })).toThrow(CannotSendError);
  });

  it('sends several cookies in one header, in their order', () => {
    expect(writeCookies({}, { b: 1, none: undefined, a: ['x', 'y'], '!#$': 'z' })).toBe('b=1; a=x; a=y; !#$=z');
  });

  it.each(['a; admin=1', 'a\r\nX: 1', 'a\0', 'é', ' a', 'a ', 'a\tb'])('rejects the text document %j', (value) => {
    expect(() => writeCookies({ x: TEXT_TYPE }, { x: value })).toThrow(CannotSendError);
  });

  it('rejects a member without a name', () => {
    expect(() => writeCookies({}, { x: { '': 1 } })).toThrow('a member without a name would be a cookie without one');
  });
});

describe('a call', () => {
  it('sends its cookies next to its other headers', async () => {
    const host = await startHost((request, response) => response.end(JSON.stringify(request.headers.cookie)));
    const tool = { request: { cookie: { b: 'b', a: 'a' } } };
    const { text } = await callUpstream({ origin: host.origin, tool, args: { b: 'x;y', a: [1, 2] } });
    await host.close();
    expect(text).toBe('"b=x%3By; a=1; a=2"');
  });

  it.each(['a\u0001b', 'a\u007fb'])('is rejected before it is sent where a plain header is %j', async (value) => {
    const host = await startHost((_, response) => response.end());
    const tool = { request: { header: { 'X-Tag': 'tag' } } };
    const call = callUpstream({ origin: host.origin, tool, args: { tag: value } });
    await expect(call).rejects.toThrow(CannotSendError);
    expect(host.hits()).toBe(0);
    await host.close();
  });
});
