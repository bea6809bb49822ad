import { describe, expect, it } from 'vitest';
import { isDeeperThan, mayBeDeeperThan, parseExactJson } from '../../../../../server/call/tools/json.ts';

describe('parseExactJson', () => {
  it('returns a copy with every number as a number, for checks', () => {
    const { value, rounded } = parseExactJson('[12345678901234567890,"12345678901234567890",1.10]');
    expect(value).toEqual(['12345678901234567890', '12345678901234567890', 1.1]);
    expect(rounded).toEqual([Number('12345678901234567890'), '12345678901234567890', 1.1]);
  });

  it('returns no copy of a value whose numbers are exact', () => {
    const { value, rounded } = parseExactJson('{"a":"12345678901234567890","b":0.30000000000000004}');
    expect(rounded).toBe(value);
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
