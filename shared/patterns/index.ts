/** Runs patterns of JSON Schemas in linear time of the text; codegen and the gateway share this. */

import { createRequire } from 'node:module';
import { countStates, PatternError, toRe2 } from './translate.ts';

/** A compiled pattern, also for Ajv's `code.regExp`. */
export interface Pattern {
  test(text: string): boolean;
  /** The most that one character of a text can cost, in visits of a state by RE2. */
  readonly cost: number;
  /** Identifies the pattern: two different ones give different texts. */
  toString(): string;
}

const load = createRequire(import.meta.url);

/**
 * Compiles a pattern (JSON Schema 2020-12 §6.3.3: ECMA-262 with the `u` flag).
 *
 * JavaScript's own engine runs patterns that it can run in linear time; RE2, which is loaded on first use, runs all
 * others.
 *
 * @throws {PatternError} for an invalid expression, and one without a linear-time form or with too many states.
 */
export function compilePattern(pattern: string): Pattern {
  const native = compileNative(pattern);
  if (!isPlain(pattern)) return compileLinear(pattern);
  const cost = countWays(pattern) / NATIVE_SPEED;
  return { test: (text) => native.test(text), cost, toString: () => String(native) };
}

/** Number of characters that JavaScript's engine reads while RE2 visits a state. Both were measured, and rounded down. */
const NATIVE_SPEED = 20;

/** Always compiles with RE2. The pattern must be valid in ECMA-262. @throws {PatternError} */
export function compileLinear(pattern: string): Pattern {
  const { RE2JS } = load('re2js') as typeof import('re2js');
  const translated = toRe2(pattern);
  try {
    let compiled = RE2JS.compile(translated);
    let isRunning = false;
    return {
      test(text) {
        // A deadline ended the run before this one, and may have left half of a state in the engine's cache.
        if (isRunning) compiled = RE2JS.compile(translated);
        isRunning = true;
        const isMatch = compiled.test(text);
        isRunning = false;
        return isMatch;
      },
      cost: countStates(pattern),
      toString: () => `re2 ${pattern}`,
    };
  } catch {
    throw new PatternError('cannot run in linear time');
  }
}

/** A descriptor repeats a pattern in thousands of operations, and RE2 takes a millisecond for one. */
const problems = new Map<string, string | null>();

/** The fault of a pattern, to complete "The pattern …"; null if there is none. */
export function findPatternProblem(pattern: string): string | null {
  const cachedProblem = problems.get(pattern);
  if (cachedProblem !== undefined) return cachedProblem;
  const problem = problemOf(() => compilePattern(pattern));
  problems.set(pattern, problem);
  return problem;
}

/** The same from the text alone, without loading an engine: RE2 may still know no such property of characters. */
export function findObviousPatternProblem(pattern: string): string | null {
  return problemOf(() => {
    compileNative(pattern);
    if (!isPlain(pattern)) toRe2(pattern);
  });
}

function problemOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

function compileNative(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    throw new PatternError('is not a regular expression of ECMA-262 with the u flag');
  }
}

const CHARACTER = String.raw`[^\\^$.*+?()[\]{}|]|\.|\\[dDwWsS]|\\[nrtfv]|\\[\^$\\.*+?()[\]{}|/]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[pP]\{\w+\}`;
const CLASS = String.raw`\[[^\\\]]*(?:\\[^][^\\\]]*)*\]`;
const COUNT = String.raw`([*+?]|\{(\d+)(,?)(\d*)\})\??`;
const WORD = `(?:${CHARACTER}|${CLASS})*`;
const PIECE = new RegExp(
  `(?:${CHARACTER}|${CLASS})(?:${COUNT})?|\\((?:\\?:)?(${WORD}(?:\\|${WORD})*)\\)(?![*+{])\\??`,
  'uy',
);

/** Maximum retries of a tail that did not match. */
const MAX_WAYS = 100;

/** True if JavaScript's engine runs a valid pattern in linear time. False means unknown. */
export function isPlain(pattern: string): boolean {
  return countWays(pattern) <= MAX_WAYS;
}

/**
 * Returns the number of tries that one character of a text can cause in JavaScript's engine, or infinity if that is not known.
 *
 * It is known for `^`, characters and classes with counts, and an optional `$`; a group may hold alternatives without counts and be optional. From
 * one start there is at most one try for each length of the longest count, times this number for all others.
 */
function countWays(pattern: string): number {
  if (!pattern.startsWith('^')) return Number.POSITIVE_INFINITY;
  const end = pattern.endsWith('$') && !pattern.endsWith('\\$') ? pattern.length - 1 : pattern.length;
  const ways: number[] = [];
  PIECE.lastIndex = 1;
  while (PIECE.lastIndex < end) {
    const match = PIECE.exec(pattern);
    if (match === null) return Number.POSITIVE_INFINITY;
    ways.push(waysOf(match));
  }
  const [, ...others] = ways.sort((a, b) => b - a);
  return others.reduce((product, one) => product * one, 1);
}

/** Returns the number of lengths that a counted piece can have. */
function waysOf([, count, least, comma, most, words]: RegExpExecArray): number {
  if (words !== undefined) return words.split('|').length + 1;
  if (count === undefined) return 1;
  if (count === '?') return 2;
  if (least === undefined || (comma === ',' && most === '')) return Number.POSITIVE_INFINITY;
  return comma === ',' ? Number(most) - Number(least) + 1 : 1;
}
