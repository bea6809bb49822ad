/** Recognises patterns that a backtracking engine also runs in linear time, from their text alone. */

const CHARACTER = String.raw`[^\\^$.*+?()[\]{}|]|\.|\\[dDwWsS]|\\[nrtfv]|\\[\^$\\.*+?()[\]{}|/]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[pP]\{\w+\}`;
const CLASS = String.raw`\[[^\\\]]*(?:\\[^][^\\\]]*)*\]`;
const COUNT = String.raw`([*+?]|\{(\d+)(,?)(\d*)\})\??`;
const PIECE = new RegExp(`(?:${CHARACTER}|${CLASS})(?:${COUNT})?`, 'uy');

/** Maximum retries of a tail that did not match. */
const MAX_WAYS = 100;

/**
 * True if a valid pattern is `^`, characters and classes with counts, and an optional `$`: no group, no alternative,
 * and only one large count.
 * ¶ From one start there is at most one try for each length of the longest count, times `MAX_WAYS` for all others.
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
