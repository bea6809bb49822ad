import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonLiteral, propertyKey, stringLiteral } from '../../../codegen/emit/literal.ts';

const evaluate = (source: string): unknown => new Function(`return (${source});`)();

describe('string literals', () => {
  test.each<[title: string, text: string, literal: string]>([
    ['take single quotes', 'plain', `'plain'`],
    ['take double quotes around an apostrophe', "it's", `"it's"`],
    ['escape an apostrophe beside double quotes', `it's "so"`, `'it\\'s "so"'`],
    ['leave template syntax inert', 'a`$'.concat('{b}`'), "'a`$".concat("{b}`'")],
    ['escape backslashes and line ends', 'a\\b\r\n\t', `'a\\\\b\\r\\n\\t'`],
    ['escape line and paragraph separators', '\u2028\u2029', `'\\u2028\\u2029'`],
    ['escape control characters', '\0\x1b[31m', `'\\u0000\\u001b[31m'`],
    ['escape text direction', 'a\u202eb\u2066c', `'a\\u202eb\\u2066c'`],
    ['escape hidden tag characters', '\u{e0041}', `'\\u{e0041}'`],
    ['escape half of a surrogate pair', '\ud800', `'\\ud800'`],
    ['keep letters of any script', 'Größe 東京 🎈', `'Größe 東京 🎈'`],
  ])('%s', (_, text, literal) => {
    expect(stringLiteral(text)).toBe(literal);
  });

  test('evaluate to the text they were made from', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(evaluate(stringLiteral(text))).toBe(text);
      }),
    );
  });
});

describe('JSON literals', () => {
  test('evaluate to the value they were made from', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(evaluate(jsonLiteral(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('put one property on a line and short lists on one', () => {
    expect(jsonLiteral({ type: 'object', required: ['a', 'b'], properties: {}, 'x-y': [{ deep: null }] })).toBe(
      [
        '{',
        `  type: 'object',`,
        `  required: ['a', 'b'],`,
        '  properties: {},',
        `  'x-y': [`,
        '    { deep: null },',
        '  ],',
        '}',
      ].join('\n'),
    );
  });

  test('put an object without objects in it on one line', () => {
    const leaf = { type: ['string', 'null'], minLength: 1, default: null, examples: [], not: {} };
    expect(jsonLiteral(leaf)).toBe(`{ type: ['string', 'null'], minLength: 1, default: null, examples: [], not: {} }`);
    expect(jsonLiteral({ leaf: { ...leaf, items: [{}] } }).split('\n')).toHaveLength(12);
  });

  test('break lists and objects that do not fit into 120 columns', () => {
    const names = Array.from({ length: 20 }, (_, index) => `number-${index}`);
    expect(jsonLiteral({ enum: names }).split('\n')).toHaveLength(24);
    const fits = { description: 'x'.repeat(98) };
    expect(jsonLiteral(fits, 2).split('\n')).toHaveLength(1);
    expect(jsonLiteral(fits, 3).split('\n')).toHaveLength(3);
  });

  test('leave out members without a value', () => {
    expect(jsonLiteral({ a: undefined, b: 1 })).toBe('{ b: 1 }');
  });

  test('keep __proto__ an ordinary member', () => {
    const value = JSON.parse('{"__proto__": {"polluted": true}}');
    const copy = evaluate(jsonLiteral(value)) as object;
    expect(Object.keys(copy)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });
});

test.each([
  ['pageSize', 'pageSize'],
  ['page.size', `'page.size'`],
  ['1st', `'1st'`],
  ['constructor', 'constructor'],
  ['__proto__', `['__proto__']`],
])('names the member %s', (name, key) => {
  expect(propertyKey(name)).toBe(key);
});
