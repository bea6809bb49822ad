/** Finds variables that were probably meant for the gateway, but are misspelt. */

import { distance } from 'fastest-levenshtein';

/** Shorter names are too similar to variables of other programs, such as HOME and HOST. */
const MIN_LENGTH = 8;

/** @returns a sentence for each variable that is set under nearly the same name as one that the gateway reads. */
export function findNearMisses(set: readonly string[], read: readonly string[]): string[] {
  const known = new Set(read);
  return set
    .filter((name) => !known.has(name) && name.length >= MIN_LENGTH)
    .flatMap((name) => {
      const meant = read.find((candidate) => isNearMiss(name, candidate));
      return meant === undefined ? [] : [`${name} is set, but the gateway does not read it. Did you mean ${meant}?`];
    });
}

function isNearMiss(name: string, candidate: string): boolean {
  const [given = '', meant = ''] = [name, candidate].map((text) => text.toUpperCase().replaceAll(/[_-]/g, ''));
  return meant.length >= MIN_LENGTH - 1 && distance(given, meant) <= 2;
}
