/** Cleans, cuts and joins texts. */

/** Longest tool description taken from a descriptor; texts of connector.yaml are never cut. */
export const MAX_TOOL_DESCRIPTION_CHARS = 1024;
/** Longest argument description taken from a descriptor. */
export const MAX_ARGUMENT_DESCRIPTION_CHARS = 1024;

/**
 * Removed, except line breaks, because they can hide or reorder text: controls, format (bidirectional, zero width, tags), line and
 * paragraph separators, private use, lone surrogates, fillers. No acknowledgement of a report lets one through.
 */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u2065\u3164\uffa0\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;

/** Printable ASCII with single spaces between words: most short texts, already tidy. */
const TIDY = /^[!-~]+(?: [!-~]+)*$/;

/** One tidy text: no control or invisible characters, single spaces, at most one empty line in a row. */
export function toCleanText(value: unknown): string {
  if (typeof value !== 'string') return '';
  if (TIDY.test(value)) return value;
  return value
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, ' ')
    .replace(INVISIBLE, (character) => (character === '\n' ? '\n' : ''))
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The text up to a limit, cut after a sentence if one ends in its second half, else after a word. */
export function toShortText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, limit - 1);
  const sentence = Math.max(head.lastIndexOf('. '), head.lastIndexOf('.\n'), head.lastIndexOf('\n\n'));
  if (sentence > limit / 2) return head.slice(0, sentence + 1).trimEnd();
  const word = head.lastIndexOf(' ');
  return `${(word > limit / 2 ? head.slice(0, word) : head).toWellFormed().trimEnd()}…`;
}

/** Joins texts as sentences of one paragraph, without duplicates. */
export function joinSentences(...parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => (/[.!?…:)\]`]$/.test(part) ? part : `${part}.`))
    .join(' ');
}
