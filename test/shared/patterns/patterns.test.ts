import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import {
  compileLinear,
  compilePattern,
  findObviousPatternProblem,
  findPatternProblem,
  isPlain,
} from '../../../shared/patterns/index.ts';
import { countStates, toRe2 } from '../../../shared/patterns/translate.ts';
import { numRuns } from '../../support/num-runs.ts';

const SMALL = 4 * 1024;
const TIMES = 16;

function cpuOf(work: () => unknown, runs: number): number {
  const before = process.cpuUsage();
  for (let run = 0; run < runs; run += 1) work();
  return process.cpuUsage(before).user;
}

function growthOf(handle: (text: string) => unknown, textOf: (length: number) => string): number {
  const [small, large] = [textOf(SMALL), textOf(SMALL * TIMES)];
  handle(small);
  const growths = Array.from({ length: 3 }, () => {
    const often = cpuOf(() => handle(small), TIMES);
    return cpuOf(() => handle(large), 1) / Math.max(often, 2000);
  });
  return Math.min(...growths);
}

const HOSTILE = [
  '^(a+)+$',
  '^(\\w+\\s?)*$',
  '(a|aa)+$',
  '^(a|a)*$',
  '(.*)*x$',
  '^(.*)(.*)(.*)(.*)x$',
  '[a-z]+$',
  'a*a*a*a*b',
  '^((a{1,10}){1,20})*$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
];

describe('a pattern that makes a backtracking engine slow', () => {
  test.each(HOSTILE)('%s: the time grows linearly with the text', (pattern) => {
    const compiled = compilePattern(pattern);
    expect(
      growthOf(
        (text) => compiled.test(text),
        (length) => `${'a'.repeat(length)}!`,
      ),
    ).toBeLessThan(6);
  });

  test.each(HOSTILE)('%s matches as in JavaScript', (pattern) => {
    const [given, native] = [compilePattern(pattern), new RegExp(pattern, 'u')];
    for (const text of ['', 'a', 'aa!', 'aaaa', 'a b c', 'aaxx', 'abcD e', 'zzAzz'])
      expect([text, given.test(text)]).toEqual([text, native.test(text)]);
  });
});

describe('a pattern without a linear-time form', () => {
  test.each([
    ['^(a)\\1$', 'refers back to a group'],
    ['^(?<name>a)\\k<name>$', 'refers back to a group'],
    ['^(?=.*[0-9]).+$', 'looks ahead or behind, or sets flags'],
    ['^(?!x).+$', 'looks ahead or behind, or sets flags'],
    ['(?<=a)b', 'looks ahead or behind, or sets flags'],
    ['(?<!a)b', 'looks ahead or behind, or sets flags'],
    ['^(a|b){1,5000}$', 'repeats something more than 1000 times beside other parts that vary'],
    ['^(?:(?:a|b){1,500}){1,500}$', 'has about 1251007 states with its counts written out (at most 500)'],
    ['.{0,999}.{0,999}.{0,999}\\d', 'has about 6000 states with its counts written out (at most 500)'],
    ['^(?:\\S{1,100}\\s?){0,10}$', 'has about 2047 states with its counts written out (at most 500)'],
    ['^(', 'is not a regular expression of ECMA-262 with the u flag'],
    ['\\p{Nothing}', 'is not a regular expression of ECMA-262 with the u flag'],
  ])('%s %s', (pattern, want) => {
    expect(findPatternProblem(pattern)).toBe(want);
    expect(() => compilePattern(pattern)).toThrow(want);
  });

  test('that sets flags is refused under every version of JavaScript', () => {
    expect(findPatternProblem('(?i:a)b')).toMatch(/sets flags|not a regular expression/);
  });

  test('is recognised by its text alone, unless it is too large', () => {
    expect(findObviousPatternProblem('^(a)\\1$')).toBe('refers back to a group');
    expect(findObviousPatternProblem('^(a+)+$')).toBeNull();
  });
});

describe('a plain pattern', () => {
  test.each([
    ['^[a-z0-9_-]+$', true],
    ['^.{1,2048}$', true],
    ['^[A-Za-z0-9+/]*={0,2}$', true],
    ['^[0-9a-f]{8}-[0-9a-f]{4}$', true],
    ['^\\d{4}-\\d{2}$', true],
    ['^cus_', true],
    ['^[^\\]]*\\$$', true],
    ['^[a-z]*[a-z]*$', false],
    ['^a{0,20}b{0,20}$', true],
    ['^a{0,200}b{0,200}$', false],
    ['^a{1,}b{1,}$', false],
    ['[a-z]+$', false],
    ['^(a+)+$', false],
    ['^a|b+$', false],
    ['^data:image/(png|jpe?g);base64,[A-Za-z0-9+/]+$', false],
    ['^data:image/(png|jpeg|[\\w|]);base64,[A-Za-z0-9+/]+$', true],
    ['^(?:https?|ftp)://\\S+$', false],
    ['^(?:http|ftp)?://\\S+$', true],
    ['^(?:ab|a){2}$', false],
    ['^(?:ab|a)*b*$', false],
    ['^(ab(c|d))$', false],
    ['^(?!a)b$', false],
    ['^(?<name>a)b$', false],
  ])('%s: %s', (pattern, want) => {
    expect(isPlain(pattern)).toBe(want);
  });
});

const ATOMS = [
  ...[
    'a',
    'b',
    '0',
    '_',
    '-',
    ' ',
    '/',
    '\\/',
    '.',
    '\\.',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '\\t',
    '\\n',
    '\\v',
  ],
  ...[
    '[ab]',
    '[^ab]',
    '[a-c]',
    '[\\s_]',
    '[^\\S]',
    '[\\w-]',
    '[\\]a]',
    '[[]',
    '[(?]',
    '[{1,2}]',
    '[\\b]',
    '[.]',
    '[$^]',
  ],
  ...['[]', '[^]', '[\\-a]', '\\x61', '\\u0061', '\\u{61}', '\\u{1F600}', '\\uD83D\\uDE00', '😀', '\\p{L}', '\\P{L}'],
  ...[
    '\\p{Lu}',
    '\\p{Script=Greek}',
    '\\cA',
    '\\0',
    '[\\u0061-\\u0063]',
    '[\\u{1F600}-\\u{1F64F}]',
    '\\{',
    '\\}',
    '\\u00a0',
  ],
  ...['[(?<]', '[>)]'],
];
const PIECES = [...'aabb0_- /.😀éαA\n\t\v\u0001\0\u00a0\u2028\ufeff[](){}$^?>:<\\'];
const quantifiers = fc.constantFrom('', '', '', '*', '+', '?', '*?', '{2}', '{0,2}', '{1,}', '{1,3}?');
const patternOf = (group: fc.Arbitrary<string>): fc.Arbitrary<string> => {
  const counted = fc.tuple(group, quantifiers).map((parts) => parts.join(''));
  const term = fc.oneof({ weight: 8, arbitrary: counted }, fc.constantFrom('^', '$', '\\b', '\\B'));
  const terms = fc.array(term, { maxLength: 4 }).map((parts) => parts.join(''));
  return fc.array(terms, { minLength: 1, maxLength: 2 }).map((alternatives) => alternatives.join('|'));
};
const atoms = fc.constantFrom(...ATOMS);
const inGroup = fc
  .tuple(fc.constantFrom('(', '(?:', '(?<name>'), patternOf(atoms))
  .map(([open, inner]) => `${open}${inner})`);
const anyPattern = patternOf(fc.oneof({ weight: 3, arbitrary: atoms }, inGroup));
const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join(''));

test('RE2 and JavaScript accept the same texts, for every pattern that both can run', () => {
  let compared = 0;
  fc.assert(
    fc.property(anyPattern, fc.array(texts, { minLength: 5, maxLength: 5 }), (pattern, samples) => {
      const native = compileOrNull(() => new RegExp(pattern, 'uy'));
      fc.pre(native !== null);
      const linear = compileOrNull(() => compileLinear(pattern));
      fc.pre(linear !== null);
      compared += 1;
      for (const text of samples) expect([text, linear?.test(text)]).toEqual([text, findsMatch(native!, text)]);
    }),
    { numRuns: numRuns(2000), maxSkipsPerRun: 10 },
  );
  expect(compared).toBe(numRuns(2000));
});

test('the states that are counted in a text are at least those of RE2', () => {
  fc.assert(
    fc.property(anyPattern, (pattern) => {
      fc.pre(compileOrNull(() => compilePattern(pattern)) !== null);
      expect(countStates(pattern)).toBeGreaterThanOrEqual(RE2JS.compile(toRe2(pattern)).programSize());
    }),
    { numRuns: numRuns(2000), seed: 27, maxSkipsPerRun: 10 },
  );
});

/** By code point (ECMA-262 §22.2.7.2): without `y`, V8 also finds `\B` inside a surrogate pair. */
function findsMatch(sticky: RegExp, text: string): boolean {
  let index = 0;
  return [...text, ''].some((character) => {
    sticky.lastIndex = index;
    index += character.length;
    return sticky.test(text);
  });
}

function compileOrNull<T>(compile: () => T): T | null {
  try {
    return compile();
  } catch {
    return null;
  }
}
