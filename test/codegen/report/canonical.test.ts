import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, isSame } from '../../../codegen/json.ts';
import { numRuns } from '../../support/num-runs.ts';

describe('isSame', () => {
  it.each([
    [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: 1 }, { a: 1, b: undefined }, true],
    [{ a: undefined }, { b: 1 }, false],
    [{ a: null }, {}, false],
    [undefined, null, false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [{ 0: 'a' }, ['a'], false],
    [{ toString: 1 }, {}, false],
    ['1', 1, false],
  ])('compares %j with %j', (a, b, want) => {
    expect(isSame(a, b)).toBe(want);
    expect(isSame(b, a)).toBe(want);
  });

  it('agrees with the canonical texts of JSON values', () => {
    const letters = fc.constantFrom('a', 'b', '__proto__');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, true, 0, 1, 'a', ''),
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(letters, tie('value'), { maxKeys: 2 }),
      ),
    }));
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(isSame(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
        expect(isSame(a, JSON.parse(JSON.stringify(a)))).toBe(true);
      }),
      { numRuns: numRuns(2000) },
    );
  });
});
