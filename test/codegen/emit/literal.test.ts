import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonLiteral, jsonMember, propertyKey, stringLiteral } from '../../../codegen/emit/literal.ts';

const evaluate = (source: string): unknown => new Function(`return (${source});`)();

describe('string literals', () => {
  test.each<[title: string, text: string, literal: string]>([
    ['take single quotes', 'plain', `'plain'`],
    ['take double quotes around an apostrophe', "it's", `"it's"`],
    ['escape an apostrophe next to double quotes', `it's "so"`, `'it\\'s "so"'`],
    ['do not interpolate template syntax', 'a`$'.concat('{b}`'), "'a`$".concat("{b}`'")],
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

  test('evaluate to the text that they were made from', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(evaluate(stringLiteral(text))).toBe(text);
      }),
    );
  });
});

describe('JSON literals', () => {
  test('evaluate to the value that they were made from', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(evaluate(jsonLiteral(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  const lines = (value: unknown) => jsonLiteral(value).split('\n');
  const long = 'x'.repeat(90);

  test('put each property of a schema on its own line', () => {
    const properties = { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } };
    expect(lines({ type: 'object', properties, required: ['name'], 'x-y': [{ deep: null }] })).toEqual([
      '{',
      `  type: 'object',`,
      '  properties: {',
      `    name: { type: 'string' },`,
      `    tags: { type: 'array', items: { type: 'string' } },`,
      '  },',
      `  required: ['name'],`,
      `  'x-y': [{ deep: null }],`,
      '}',
    ]);
  });

  test.each([
    [{ type: ['string', 'null'], minLength: 1, default: null, examples: [], not: {} }],
    [{ type: 'array', items: { type: 'array', items: { type: 'string' } } }],
    [{ properties: { id: {}, name: {} } }],
    [{ properties: { id: { type: 'string' } } }],
    [[{ required: ['id'] }]],
  ])('put %j on one line', (value) => {
    expect(lines(value)).toHaveLength(1);
  });

  test.each([
    ['two objects with members', { a: { b: 1 }, c: { d: 1 } }, 4],
    ['two properties, one of them not empty', { properties: { id: {}, name: { type: 'string' } } }, 4],
    ['two objects in a list', [{ a: 1 }, { b: 1 }], 4],
  ])('break %s', (_, value, count) => {
    expect(lines(value)).toHaveLength(count);
  });

  test('open an object on the line of its last member if only that member needs several lines', () => {
    const items = { properties: { id: { type: 'string' }, text: { type: 'string' } } };
    expect(lines({ type: 'object', properties: { data: { items }, page: {} } })).toEqual([
      `{ type: 'object', properties: {`,
      '  data: { items: { properties: {',
      `    id: { type: 'string' },`,
      `    text: { type: 'string' },`,
      '  } } },',
      '  page: {},',
      '} }',
    ]);
  });

  test.each([
    ['another member has members', { not: { required: ['a'] }, properties: { a: { b: 1 }, c: { d: 1 } } }],
    ['the member fits on one line', { description: long, items: { type: 'string', minLength: 1 } }],
    ['the members before it are too long', { description: long + long, properties: { a: { b: 1 }, c: { d: 1 } } }],
  ])('open it on a line of its own where %s', (_, value) => {
    expect(lines(value)[0]).toBe('{');
  });

  test('put a single property on its own line too', () => {
    const properties = { a: { type: 'string' }, b: { type: 'string' } };
    expect(lines({ properties: { data: { properties } } }).slice(0, 2)).toEqual([
      '{ properties: {',
      '  data: { properties: {',
    ]);
  });

  test('break lists and objects longer than 120 columns', () => {
    const names = Array.from({ length: 20 }, (_, index) => `number-${index}`);
    expect(lines({ enum: names })).toHaveLength(24);
    const fits = { description: 'x'.repeat(98) };
    expect(jsonLiteral(fits, 2).split('\n')).toHaveLength(1);
    expect(jsonLiteral(fits, 3).split('\n')).toHaveLength(3);
  });

  test('leave out members without a value', () => {
    expect(jsonLiteral({ a: undefined, b: 1 })).toBe('{ b: 1 }');
  });

  test('treat __proto__ as an ordinary member', () => {
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

describe('members of an exported constant', () => {
  const sentence =
    'Lists the notes of one folder, newest first, each with its title, its owner and the day of its last change.';

  test.each<[title: string, value: unknown, want: string[]]>([
    ['keep a text that fits on its line', 'Lists notes. Newest first.', ["text: 'Lists notes. Newest first.'"]],
    [
      'put each sentence of a longer text on its own line',
      `${sentence} "It's empty", e.g. after a reset. Or not!`,
      ['text:', `  '${sentence} ' +`, `  '"It\\'s empty", e.g. after a reset. ' +`, "  'Or not!'"],
    ],
    ['move a sentence below its name', `${sentence}.....`, ['text:', `  '${sentence}.....'`]],
    [
      'break a sentence that is longer than a line between words',
      sentence.replace('.', ' and so on.'),
      ['text:', `  '${sentence.replace('.', ' and ')}' +`, "  'so on.'"],
    ],
    [
      'break at ends of lines',
      `- ${'a'.repeat(70)}\n- ${'b'.repeat(70)}`,
      ['text:', `  '- ${'a'.repeat(70)}\\n' +`, `  '- ${'b'.repeat(70)}'`],
    ],
    ['leave one long word whole', 'x'.repeat(150), [`text: '${'x'.repeat(150)}'`]],
    [
      'break texts in objects and lists',
      { inner: [`${sentence} Or not.`] },
      ['text: {', '  inner: [', `    '${sentence} ' +`, "      'Or not.',", '  ],', '}'],
    ],
  ])('%s', (_, value, want) => {
    expect(jsonMember('text', value).split('\n')).toEqual(want);
  });

  test('evaluate to the value that they were made from', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '.', ' ', '\n', "'", '"', '\\', '\u2028', '🎈'),
      maxLength: 500,
    });
    fc.assert(
      fc.property(fc.oneof(text, fc.array(text), fc.dictionary(text, text)), (value) => {
        expect(evaluate(`{${jsonMember('value', value)}}`)).toEqual({ value });
      }),
    );
  });
});
