/** Unicode tag characters, which no one sees and models read: an upstream can hide a message in them. */

/** U+E0000 to U+E007F: a high surrogate that they share with a few others, then one of 128. */
const TAGS = /\udb40[\udc00-\udc7f]/g;

/**
 * A text with its tag characters as JSON escapes, so that they are seen. In a JSON text the value stays the same.
 *
 * Other characters without a form are left alone: joiners and direction marks are how other scripts are written.
 */
export function escapeTags(text: string): string {
  return text.includes('\udb40') ? text.replace(TAGS, (pair) => escapeUnit(pair, 0) + escapeUnit(pair, 1)) : text;
}

function escapeUnit(pair: string, index: number): string {
  return `\\u${pair.charCodeAt(index).toString(16)}`;
}
