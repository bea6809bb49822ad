/** The patterns of JSON Schemas, run in time that grows as the text does: codegen and the gateway share this. */

import { createRequire } from 'node:module';
import { isPlain } from './plain.ts';
import { PatternError, toRe2 } from './translate.ts';

export { PatternError } from './translate.ts';

/** A compiled pattern, also for Ajv's `code.regExp`. */
export interface Pattern {
  test(text: string): boolean;
  /** Names the pattern: two that differ never read the same. */
  toString(): string;
}

const load = createRequire(import.meta.url);

/**
 * Compiles a pattern (JSON Schema 2020-12 §6.3.3: ECMA-262 with the `u` flag).
 *
 * JavaScript's own engine runs what it runs in linear time; RE2, which is loaded with the first pattern that needs it, all others.
 *
 * @throws {PatternError} for what is no such expression, or has no linear-time form.
 */
export function compilePattern(pattern: string): Pattern {
  const native = compileNative(pattern);
  return isPlain(pattern) ? native : compileLinear(pattern);
}

/** The same through RE2 always. The pattern is one that ECMA-262 accepts. @throws {PatternError} */
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

/** What is wrong with a pattern, to complete "The pattern …"; null where nothing is. */
export function findPatternProblem(pattern: string): string | null {
  return problemOf(() => compilePattern(pattern));
}

/** The same from the text alone, without loading an engine: what it lets pass may still be too large to compile. */
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
