/** Sets of words that are written as one text. */

/** @param words separated by single spaces */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
