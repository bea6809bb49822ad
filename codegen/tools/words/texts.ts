/** Cleans, cuts and joins texts. */

/** Longest tool description taken from a descriptor; texts of connector.yaml are never cut. */
export const MAX_TOOL_DESCRIPTION_CHARS = 1024;
/** Longest argument description taken from a descriptor. */
export const MAX_ARGUMENT_DESCRIPTION_CHARS = 1024;

/** Keeps line breaks; removes other controls, and invisible characters that can hide or reorder text. */
const INVISIBLE = /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

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
