/** Unicode tag characters are invisible to people, but models read them: an upstream can hide a message in them. */

/** U+E0000 to U+E007F: a high surrogate shared with a few other characters, then one of 128 low surrogates. */
const TAGS = /\udb40[\udc00-\udc7f]/g;

/**
 * Writes tag characters as JSON escapes, so that they are visible. The value of a JSON text stays the same.
 *
 * Other invisible characters are kept: some scripts need joiners and direction marks.
 */
export function escapeTags(text: string): string {
  return text.includes('\udb40') ? text.replace(TAGS, (pair) => escapeUnit(pair, 0) + escapeUnit(pair, 1)) : text;
}

function escapeUnit(pair: string, index: number): string {
  return `\\u${pair.charCodeAt(index).toString(16)}`;
}
