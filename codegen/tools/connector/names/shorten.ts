/**
 * Shortens the words of a name until they fit: first drops words of little meaning, then repeated ones, then the
 * context.
 */

import { VERBS } from '../../words/verbs.ts';
import { toSingular } from '../../words/words.ts';
import type { PathWords } from './path-words.ts';
import { ABBREVIATIONS, FILLERS, SCOPES, WEAK_WORDS } from './vocabulary.ts';

const FULL_WORDS = new Map([...ABBREVIATIONS].map(([word, short]) => [short, word]));

/** Minimum number of words that still describe a tool. */
const MIN_WORDS = 3;

/** Fewer and shorter words without loss of meaning, or all words if they already fit. */
export function condense(
  words: readonly string[],
  maxLength: number,
  prefix: readonly string[],
  { fixed }: PathWords,
): readonly string[] {
  const stemsOfPath = stemsOf(fixed);
  return shortenUntil(words, maxLength, [
    (list) => filterWords(list, (word) => !FILLERS.has(word)),
    (list) => filterWords(list, (word, index) => index === 0 || !isRepeated(word, list.slice(0, index))),
    (list) =>
      filterWords(list, (word) => stemsOfPath.has(stemOf(word)) || !(WEAK_WORDS.has(word) || prefix.includes(word))),
    (list) => list.map((word) => ABBREVIATIONS.get(word) ?? word),
  ]);
}

/** The main word of the name: the last one, or the one before `for`, `of` etc. if it is not a verb. */
export function mainWordOf(words: readonly string[]): string {
  const end = words.findIndex((word, index) => FILLERS.has(word) && index > 1 && !VERBS.has(words[index - 1] ?? ''));
  return words.at(end < 0 ? -1 : end - 1) ?? '';
}

/**
 * Drops the least important words one after another: versions, words that are not in the path, then words of its
 * beginning. Keeps the action, its quantity, its object, and at least three words.
 */
export function dropContext(
  words: readonly string[],
  maxLength: number,
  path: PathWords,
  mainWord: string,
): readonly string[] {
  const fixedWords = path.fixed.join(' ');
  const lastSegment = path.last.join(' ');
  const importanceOf = (word: string) => {
    const stem = toSingular(word);
    if (VERBS.has(word) || SCOPES.has(word) || stemOf(word) === stemOf(mainWord)) return 4;
    if (/^(?:v?\d+|(?:alpha|beta)\d*)$/.test(word)) return 0;
    return lastSegment.includes(stem) ? 3 : fixedWords.includes(stem) ? 2 : 1;
  };
  let list = words.map((word) => ({ word, importance: importanceOf(FULL_WORDS.get(word) ?? word) }));
  while (lengthOf(list.map(({ word }) => word)) > maxLength && list.length > MIN_WORDS) {
    const least = Math.min(...list.map(({ importance }) => importance));
    if (least > 3) break;
    list = list.toSpliced(
      list.findIndex(({ importance }) => importance === least),
      1,
    );
  }
  return list.map(({ word }) => word);
}

/** Characters with a `_` before each word. */
export function lengthOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + word.length + 1, 0);
}

function shortenUntil(
  words: readonly string[],
  maxLength: number,
  steps: readonly ((words: readonly string[]) => readonly string[])[],
): readonly string[] {
  let list = words;
  for (const step of steps) {
    if (lengthOf(list) <= maxLength) return list;
    list = step(list);
  }
  return list;
}

function filterWords(words: readonly string[], isKept: (word: string, index: number) => boolean): readonly string[] {
  const remaining = words.filter(isKept);
  return remaining.length > 1 ? remaining : words;
}

function isRepeated(word: string, earlierWords: readonly string[]): boolean {
  return earlierWords.some((other) => toSingular(other) === toSingular(word));
}

function stemsOf(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.map(stemOf));
}

function stemOf(word: string): string {
  return toSingular(FULL_WORDS.get(word) ?? word);
}
