/** Finds the name or value that someone probably meant, also among thousands. */

import { distance } from 'fastest-levenshtein';

/** Longest text that is compared. A longer text is not a mistyped name. */
const MAX_COMPARED_LENGTH = 100;

/**
 * The candidates nearest to a text, best first.
 *
 * Case, underscores and hyphens are ignored, so `document_id` finds `documentId`.
 */
export function findNearest(text: string, candidates: readonly string[], limit = 1): string[] {
  if (text.length > MAX_COMPARED_LENGTH) return [];
  const normalizedText = normalize(text);
  const near = candidates
    .map((candidate) => ({ candidate, score: score(normalizedText, normalize(candidate)) }))
    .filter(({ score }) => score <= Math.max(1, Math.floor(normalizedText.length * 0.4)))
    .sort((a, b) => a.score - b.score || (a.candidate < b.candidate ? -1 : 1));
  const best = near[0]?.score ?? 0;
  return near
    .filter(({ score }) => score <= best + 1)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

function score(text: string, candidate: string): number {
  const edits = distance(text, candidate);
  const contained = text.length >= 4 && (candidate.includes(text) || text.includes(candidate));
  return contained && candidate.length >= 4 ? Math.min(edits, 1) : edits;
}

function normalize(text: string): string {
  return text.toLowerCase().replace(/[_\s-]/g, '');
}

/** Only this many names, those with the most letter pairs in common, are compared letter by letter. */
const MAX_COMPARED = 48;
/** Longer texts are not looked up, because `findNearest` does not compare them either. */
const MAX_TEXT_LENGTH = 100;

/** The names nearest to a text, best first. @param accepts names that the caller may see. */
type FindNearNames = (text: string, accepts: (name: string) => boolean, limit: number) => string[];

/**
 * Creates the finder for a set of names. It works as `findNearest`, but compares only names that share many letter
 * pairs. One edit changes at most two pairs, so it finds the nearest names unless `MAX_COMPARED` or more others are as
 * similar.
 */
export function createNearNames(names: readonly string[]): FindNearNames {
  let index: PairIndex | undefined;
  return (text, accepts, limit) => {
    if (text.length > MAX_TEXT_LENGTH) return [];
    index ??= buildIndex(names);
    const near: string[] = [];
    for (const at of rank(index, text)) {
      const name = names[at] ?? '';
      if (accepts(name)) near.push(name);
      if (near.length === MAX_COMPARED) break;
    }
    return findNearest(text, near, limit);
  };
}

interface PairIndex {
  /** By pair: positions of the names that contain it, once per occurrence. */
  readonly indexesByPair: readonly (readonly number[])[];
  /** Number of pairs in each name. */
  readonly sizes: Uint8Array;
}

function buildIndex(names: readonly string[]): PairIndex {
  const indexesByPair = Array.from({ length: LETTERS * LETTERS }, (): number[] => []);
  const sizes = new Uint8Array(names.length);
  for (const [at, name] of names.entries()) {
    const pairs = pairsOf(name);
    for (const pair of pairs) indexesByPair[pair]?.push(at);
    sizes[at] = pairs.length;
  }
  return { indexesByPair, sizes };
}

/** Positions of names: first those that contain the text or are part of it, then by the number of differing pairs. */
function* rank({ indexesByPair, sizes }: PairIndex, text: string): Generator<number> {
  const pairs = pairsOf(text);
  const shared = new Uint8Array(sizes.length);
  for (const pair of new Set(pairs)) for (const at of indexesByPair[pair] ?? []) shared[at] = (shared[at] ?? 0) + 1;
  const byDifference: number[][] = [];
  for (const [at, common] of shared.entries()) {
    if (common === 0) continue;
    const size = sizes[at] ?? 0;
    const differing = common >= Math.min(size, pairs.length) ? 0 : size + pairs.length - 2 * common;
    byDifference[Math.max(0, differing)] ??= [];
    byDifference[Math.max(0, differing)]?.push(at);
  }
  for (const indexes of byDifference) yield* indexes ?? [];
}

/** The letters a to z, the digits, and one for all other characters. */
const LETTERS = 37;

/** Returns the number of a letter. @param code UTF-16 code of a character in lower case. */
function letterOf(code: number): number {
  if (code >= 97 && code <= 122) return code - 97;
  if (code >= 48 && code <= 57) return code - 22;
  return LETTERS - 1;
}

/** Pairs of adjacent letters as numbers. Like `findNearest`, ignores case, underscores and hyphens. */
function pairsOf(text: string): number[] {
  const letters = text.toLowerCase().replace(/[_\s-]/g, '');
  const pairs: number[] = [];
  let previousLetter = -1;
  for (let at = 0; at < letters.length; at += 1) {
    const code = letters.charCodeAt(at);
    const letter = letterOf(code);
    if (previousLetter >= 0) pairs.push(previousLetter * LETTERS + letter);
    previousLetter = letter;
  }
  return pairs;
}
