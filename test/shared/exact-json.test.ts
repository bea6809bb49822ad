import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  compareNumbers,
  isExactNumber,
  parseDigitsAsText,
  parseRawNumbers,
  rawNumber,
  rawNumbersAsText,
  toRawNumber,
} from '../../shared/exact-json.ts';
import { numRuns } from '../support/num-runs.ts';

const INEXACT = [
  '12345678901234567890',
  '-9007199254740993',
  '1e400',
  '-1E400',
  '1e+400',
  '1e-400',
  '4.9e-324',
  '0.12345678901234567891',
  '123456789.123456789',
  '12345678901234567.89',
  '1.0000000000000000000001',
  '9007199254740992',
];
const EXACT = [
  '0',
  '-0',
  '-1',
  '1.5',
  '1e3',
  '9007199254740991',
  '1700000000000000',
  '0.1',
  '1.10',
  '1e10',
  '1e20',
  '1.0000000000000',
  '0.1000000000000000',
  '1.2345678901234567',
  '0.30000000000000004',
  '1.7976931348623157e308',
  '5e-324',
  '1e-3',
];

describe('JSON with every digit', () => {
  it.each(INEXACT)('keeps %s as a raw number for requests and as text for readers', (text) => {
    expect(isExactNumber(text)).toBe(false);
    expect(JSON.stringify(parseRawNumbers(`{"n":[${text}, 1]}`))).toBe(`{"n":[${text},1]}`);
    expect(rawNumber(parseRawNumbers(text))).toBe(text);
    expect(parseDigitsAsText(` {"n" : ${text} } `)).toEqual({ n: text });
    expect(parseDigitsAsText(text)).toBe(text);
  });

  it.each(EXACT)('reads %s as a number', (text) => {
    expect(isExactNumber(text)).toBe(true);
    expect(parseRawNumbers(`[${text}]`)).toEqual([Number(text)]);
    expect(parseDigitsAsText(text)).toBe(Number(text));
  });

  it('leaves texts as they are, also those that look like numbers', () => {
    const json = '{"12345678901234567890":"1e400","a":"see: 12345678901234567890, or","b":12345678901234567890}';
    expect(parseDigitsAsText(json)).toEqual({ ...JSON.parse(json), b: '12345678901234567890' });
  });

  it('does not pollute a prototype', () => {
    const value = parseDigitsAsText('{"__proto__":{"x":12345678901234567890}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":"12345678901234567890"}}');
  });

  it('is not raw for a number or a text', () => {
    expect([rawNumber(1), rawNumber('1'), rawNumber(null)]).toEqual([undefined, undefined, undefined]);
    expect(() => toRawNumber('007')).toThrow(SyntaxError);
  });

  it('turns raw numbers into texts, and copies nothing else', () => {
    const value = { a: [toRawNumber('9007199254740993'), 1], b: { c: null } };
    expect(rawNumbersAsText(value)).toEqual({ a: ['9007199254740993', 1], b: { c: null } });
    expect(rawNumbersAsText(value.b)).toBe(value.b);
  });
});

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,39})$/);
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits,
    fc.option(fc.stringMatching(/^\d{1,25}$/)),
    fc.option(fc.integer({ min: -450, max: 450 })),
  )
  .map(
    ([minus, whole, fraction, power]) =>
      `${minus}${whole}${fraction === null ? '' : `.${fraction}`}${power === null ? '' : `e${power}`}`,
  );

test('no number in JSON syntax loses its value, whatever is around it', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(numberText, fc.string()), { maxLength: 8 }), (members) => {
      const json = `[${members.map((text) => (NUMBER.test(text) ? text : JSON.stringify(text))).join(',')}]`;
      const sent = parseDigitsAsText(JSON.stringify(parseRawNumbers(json))) as unknown[];
      const texts = parseDigitsAsText(json) as unknown[];
      for (const [index, text] of members.entries()) {
        if (!NUMBER.test(text)) expect(texts[index]).toBe(text);
        else expect([texts[index], sent[index]].map((one) => compareNumbers(String(one), text))).toEqual([0, 0]);
      }
    }),
    { numRuns: numRuns(500) },
  );
});

test('integers are compared by their exact values', () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
      expect(Math.sign(compareNumbers(String(a), String(b)))).toBe(a < b ? -1 : Number(a > b));
    }),
  );
});

test.each([
  ['1.10', '1.1', 0],
  ['1e2', '100', 0],
  ['-0', '0', 0],
  ['725653563933458433', '725653563933458434', -1],
  ['-12345678901234567.89', '-12345678901234567.8', -1],
  ['1e400', '1e399', 1],
  ['0.001', '0.0009', 1],
])('%s compared with %s gives the sign %i', (a, b, sign) => {
  expect(Math.sign(compareNumbers(a, b))).toBe(sign);
  expect(Math.sign(compareNumbers(b, a)) + sign).toBe(0);
});
