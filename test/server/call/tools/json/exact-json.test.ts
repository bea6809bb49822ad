import { describe, expect, it } from 'vitest';
import {
  isDeeperThan,
  mayBeDeeperThan,
  parseExactJson,
  rawNumber,
  toRawNumber,
} from '../../../../../server/call/tools/json.ts';

const KEPT = [
  '12345678901234567890',
  '-9007199254740993',
  '1e400',
  '0.12345678901234567891',
  '123456789.123456789',
  '1.0000000000000000000001',
  '1e+400',
  '-1E400',
  '0.1000000000000000',
  '1.00000000000000',
  '9007199254740992',
];
const PLAIN = [
  '0',
  '-1',
  '1.5',
  '1e3',
  '9007199254740991',
  '1700000000000000',
  '0.1',
  '1.10',
  '1e10',
  '1.0000000000000',
  '1.2345678901234567',
  '0.0000000000001',
  '1e-3',
];

describe('parseExactJson', () => {
  for (const text of KEPT) {
    it(`keeps ${text}`, () => {
      const { value } = parseExactJson(`{"n":[${text}]}`);
      expect(JSON.stringify(value)).toBe(`{"n":[${text}]}`);
      expect(rawNumber((value as { n: unknown[] }).n[0])).toBe(text);
    });
  }
  for (const text of PLAIN) {
    it(`reads ${text} as a number`, () => {
      expect(parseExactJson(text).value).toBe(Number(text));
    });
  }

  it('returns a copy with every number as a number, for checks', () => {
    expect(parseExactJson('[12345678901234567890,"12345678901234567890"]').rounded).toEqual([
      Number('12345678901234567890'),
      '12345678901234567890',
    ]);
  });

  it('keeps no digits of a number that is exact, whatever else is in the text', () => {
    expect(parseExactJson('[12345678901234567890,1.10,7,-7]').value).toMatchObject({ 1: 1.1, 2: 7, 3: -7 });
  });

  it('does not change digits inside strings', () => {
    expect(parseExactJson('{"a":"12345678901234567890"}').value).toEqual({ a: '12345678901234567890' });
  });

  it('does not pollute a prototype', () => {
    const { value } = parseExactJson('{"__proto__":{"x":12345678901234567890}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":12345678901234567890}}');
  });
});

describe('isDeeperThan', () => {
  const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

  it('counts levels of arrays and objects', () => {
    expect(isDeeperThan(nested(3), 3)).toBe(false);
    expect(isDeeperThan(nested(4), 3)).toBe(true);
    expect(isDeeperThan({ a: { b: { c: 1 } } }, 3)).toBe(false);
    expect(isDeeperThan({ a: { b: { c: {} } } }, 3)).toBe(true);
    expect(isDeeperThan('text', 1)).toBe(false);
    expect(isDeeperThan([null, 'text', [null, 'text']], 2)).toBe(false);
    expect(isDeeperThan(null, 1)).toBe(false);
  });

  it('does not exhaust the stack', () => {
    expect(isDeeperThan(nested(5000), 4999)).toBe(true);
  });
});

describe('mayBeDeeperThan', () => {
  it.each([
    ['[[1]]', 2, false],
    ['[[[1]]]', 2, true],
    ['{"a":{"b":1}}', 2, false],
    ['{"a":{"b":{}}}', 2, true],
    ['[{"a":[1]}]', 2, true],
    ['[{},1]', 2, false],
    ['text', 0, false],
    ['[', 0, true],
  ])('%s of %i: %s', (text, limit, want) => {
    expect(mayBeDeeperThan(text, limit)).toBe(want);
  });
});

it('a whole number is written with its original digits', () => {
  expect(JSON.stringify(toRawNumber('12345678901234567890'))).toBe('12345678901234567890');
  expect([rawNumber(1), rawNumber('1'), rawNumber(null)]).toEqual([undefined, undefined, undefined]);
});
