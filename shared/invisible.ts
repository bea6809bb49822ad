/** Makes characters visible that a reader cannot see: texts of descriptors and servers are printed, and written into files that people review. */

/** Most text matches this and skips the search for rarer characters. */
const PLAIN = /^[ -~]*$/;

/** Control and format characters (bidi, zero width, tags), line and paragraph separators, and lone surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Escapes characters that a reviewer cannot see, or that some tools treat as a line end, as a string literal would.
 *
 * Leaves backslashes alone: the text is already a literal, or goes into a comment.
 */
export function escapeInvisible(text: string): string {
  return PLAIN.test(text) ? text : text.replace(INVISIBLE, escapeCodePoint);
}

/** Returns a text as JSON, for a message: nothing in it moves a cursor, or reorders what is around it. */
export function quoteText(text: string): string {
  return escapeInvisible(JSON.stringify(text));
}

function escapeCodePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
