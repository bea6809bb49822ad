/** Finds the name or value that someone probably meant. */

import { distance } from 'fastest-levenshtein';

/** Longer texts are not compared: no one mistypes a name of that length. */
const MAX_COMPARED_LENGTH = 100;

/**
 * The candidates nearest to a text, best first.
 *
 * Case, underscores and hyphens are ignored, so `document_id` finds `documentId`.
 */
export function findNearest(text: string, candidates: readonly string[], limit = 1): string[] {
  if (text.length > MAX_COMPARED_LENGTH) return [];
  const wanted = normalize(text);
  const near = candidates
    .map((candidate) => ({ candidate, score: score(wanted, normalize(candidate)) }))
    .filter(({ score }) => score <= Math.max(1, Math.floor(wanted.length * 0.4)))
    .sort((a, b) => a.score - b.score || (a.candidate < b.candidate ? -1 : 1));
  const best = near[0]?.score ?? 0;
  return near
    .filter(({ score }) => score <= best + 1)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

function score(wanted: string, candidate: string): number {
  const edits = distance(wanted, candidate);
  const contained = wanted.length >= 4 && (candidate.includes(wanted) || wanted.includes(candidate));
  return contained && candidate.length >= 4 ? Math.min(edits, 1) : edits;
}

function normalize(text: string): string {
  return text.toLowerCase().replace(/[_\s-]/g, '');
}
