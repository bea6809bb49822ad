import { describe, expect, it } from 'vitest';
import { isDeeperThan, parseExactJson, rawNumber } from '../../../../server/tools/json/exact-json.ts';

const KEPT = [
  '12345678901234567890',
  '-9007199254740993',
  '1e400',
  '0.12345678901234567891',
  '123456789.123456789',
  '1.0000000000000000000001',
];
const PLAIN = ['0', '-1', '1.5', '1e3', '9007199254740991', '1700000000000000', '0.1', '1.10'];

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

  it('gives the same with every number as a number, for checks', () => {
    expect(parseExactJson('[12345678901234567890,"12345678901234567890"]').rounded).toEqual([
      Number('12345678901234567890'),
      '12345678901234567890',
    ]);
  });

  it('does not touch digits inside strings', () => {
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
  });

  it('does not exhaust the stack', () => {
    expect(isDeeperThan(nested(5000), 4999)).toBe(true);
  });
});
