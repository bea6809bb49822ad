/** Suggests the names that someone probably meant. */

import { distance } from 'fastest-levenshtein';
import { byCodeUnit } from './json.ts';

const MAX_NAMES = 3;

/**
 * Up to three names, best first, that differ from a wrong one by two characters or a third of its length; case is
 * ignored.
 */
export function nearest(wrong: string, names: Iterable<string>): readonly string[] {
  return [...new Set(names)]
    .map((name) => ({ name, edits: distance(wrong.toLowerCase(), name.toLowerCase()) }))
    .filter(({ edits }) => edits <= Math.max(2, wrong.length / 3))
    .sort((a, b) => a.edits - b.edits || byCodeUnit(a.name, b.name))
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
}
