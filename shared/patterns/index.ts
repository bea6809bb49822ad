/** Runs patterns of JSON Schemas in linear time of the text; codegen and the gateway share this. */

import { createRequire } from 'node:module';
import { PatternError, toRe2 } from './translate.ts';

export { PatternError } from './translate.ts';

/** A compiled pattern, also for Ajv's `code.regExp`. */
export interface Pattern {
  test(text: string): boolean;
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
 * @throws {PatternError} for an invalid expression, or one without a linear-time form.
 */
export function compilePattern(pattern: string): Pattern {
  const native = compileNative(pattern);
  return isPlain(pattern) ? native : compileLinear(pattern);
}

/** Always compiles with RE2. The pattern must be valid in ECMA-262. @throws {PatternError} */
export function compileLinear(pattern: string): Pattern {
  const { RE2JS } = load('re2js') as typeof import('re2js');
  const translated = toRe2(pattern);
  try {
    const compiled = RE2JS.compile(translated);
    return { test: (text) => compiled.test(text), toString: () => `re2 ${pattern}` };
  } catch {
    throw new PatternError('cannot run in linear time');
  }
}

/** The fault of a pattern, to complete "The pattern …"; null if there is none. */
export function findPatternProblem(pattern: string): string | null {
  return problemOf(() => compilePattern(pattern));
}

/** The same from the text alone, without loading an engine: a pattern that passes may still be too large to compile. */
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
const PIECE = new RegExp(`(?:${CHARACTER}|${CLASS})(?:${COUNT})?`, 'uy');

/** Maximum retries of a tail that did not match. */
const MAX_WAYS = 100;

/**
 * True if a valid pattern is `^`, characters and classes with counts, and an optional `$`: no group, no alternative,
 * and only one large count.
 *
 * From one start there is at most one try for each length of the longest count, times `MAX_WAYS` for all others.
 * False means unknown.
 */
export function isPlain(pattern: string): boolean {
  if (!pattern.startsWith('^')) return false;
  const end = pattern.endsWith('$') && !pattern.endsWith('\\$') ? pattern.length - 1 : pattern.length;
  const ways: number[] = [];
  PIECE.lastIndex = 1;
  while (PIECE.lastIndex < end) {
    const found = PIECE.exec(pattern);
    if (found === null) return false;
    ways.push(waysOf(found));
  }
  const [, ...others] = ways.sort((a, b) => b - a);
  return others.reduce((product, one) => product * one, 1) <= MAX_WAYS;
}

/** How many lengths a counted piece can have. */
function waysOf([, count, least, comma, most]: RegExpExecArray): number {
  if (count === undefined) return 1;
  if (count === '?') return 2;
  if (least === undefined || (comma === ',' && most === '')) return Number.POSITIVE_INFINITY;
  return comma === ',' ? Number(most) - Number(least) + 1 : 1;
}
