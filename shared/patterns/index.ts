/** Runs patterns of JSON Schemas in linear time of the text; codegen and the gateway share this. */

import { createRequire } from 'node:module';
import { isPlain } from './plain.ts';
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
 * ¶ @throws {PatternError} for an invalid expression, or one without a linear-time form.
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
