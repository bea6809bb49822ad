/** Splits a path into words: its resource, its version and its parameters. */

import { VERBS } from '../../words/verbs.ts';
import { toSingular, toWords } from '../../words/words.ts';

/** Segments about how an API is served, not what it serves. */
const BASE_SEGMENT = /^(?:v?\d+(?:[._-]\d+)*(?:alpha|beta)?\d*|v\d+[a-z]*\d*|api|apis|rest)$/i;
const VERSION = /^v?\d+(?:[._-]?(?:\d+|alpha|beta))*$/i;
const EXTENSION = /\.(?:json|xml|php|aspx?|do)$/i;

export interface PathWords {
  /** Words of the fixed parts; a collection is in the singular if the path means one item. */
  readonly resource: readonly string[];
  /** Words of the fixed parts and of the parameters, in order, without the version. */
  readonly all: readonly string[];
  /** Words of the fixed parts, without the version. */
  readonly fixed: readonly string[];
  /** Words of the last two fixed parts. */
  readonly last: readonly string[];
  readonly version: readonly string[];
  /** Words of the last parameter. */
  readonly parameter: readonly string[];
  /** `many`: it ends in a fixed part in the plural. */
  readonly leadsTo: 'one' | 'many' | 'other';
}

/** The words of a path such as `/v1/customers/{customer}/cards`. */
export function readPath(path: string): PathWords {
  const segments = path.split('/').filter((segment) => segment !== '');
  const first = segments.findIndex((segment) => !BASE_SEGMENT.test(segment));
  const base = first < 0 ? [] : segments.slice(0, first);
  const rest = segments.slice(base.length).map((segment) => segment.replace(EXTENSION, ''));
  const fixedParts = rest.map((segment) => toWords(segment.replace(/\{[^{}]*\}/g, ' ')));
  const isParameter = (index: number) => /^\{[^{}]*\}$/.test(rest[index] ?? '');
  const fixed = fixedParts.flat();
  const lastPart = fixedParts.findLast((words) => words.length > 0) ?? [];
  const word = lastPart.at(-1) ?? '';
  const isNoun = !isParameter(rest.length - 1) && !VERBS.has(lastPart[0] ?? '');
  const parameters = [...path.matchAll(/\{([^{}]*)\}/g)].map((match) => toWords(match[1] ?? ''));
  return {
    resource: fixedParts.flatMap((words, index) => (isParameter(index + 1) ? inSingular(words) : words)),
    all: rest.flatMap((segment) => toWords(segment)),
    fixed,
    last: fixedParts
      .filter((words) => words.length > 0)
      .slice(-2)
      .flat(),
    version: segments.filter((segment) => VERSION.test(segment)).flatMap(toWords),
    parameter: parameters.at(-1) ?? [],
    leadsTo:
      fixed.length > 0 && isParameter(rest.length - 1) ? 'one' : isNoun && toSingular(word) !== word ? 'many' : 'other',
  };
}

/** The words with the last one in the singular. */
export function inSingular(words: readonly string[]): readonly string[] {
  return words.map((word, index) => (index === words.length - 1 ? toSingular(word) : word));
}
