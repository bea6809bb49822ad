/** Removes literal values from a request: quoted names, addresses, numbers and dates. Also removes polite words. */

const URL_VALUE = /\bhttps?:\/\/\S+/gi;
const EMAIL_VALUE = /[^\s@<>"]+@[^\s@<>"]+\.\p{L}{2,}/gu;
const FILE_VALUE =
  /(?<![p{L}p{N}])(?:[\w.-]+\/)*[\w-]+\.(?:md|txt|ya?ml|json|js|ts|py|go|rs|java|rb|c|h|cpp|cs|php|sh|toml|ini|cfg|csv|xlsx?|docx?|pdf|html?|xml|sql|png|jpe?g)\b/gi;
const OTHER_VALUES: readonly RegExp[] = [
  /"[^"]+"|“[^”]+”|«[^»]+»/g,
  /\bv\d+(?:\.\d+)*\b/gi,
  /(?<![\p{L}\p{N}])[$€£#]?\d[\d.,:/-]*%?(?![\p{L}\p{N}])/gu,
];
const MONTH_WITH_NUMBER =
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,4}(?:st|nd|rd|th)?\b|\b\d{1,2}(?:st|nd|rd|th)?\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b/gi;
const PADDING =
  /\b(?:right now|for now|now|already|yet|still|really|actually|currently|thanks|thank you|hey|hi|hello|kindly|whats|whos|hows|wheres|im|called|named)\b/gi;

/**
 * The request without its values: an address becomes the word `url` or `email`. Unchanged if nothing else was typed.
 */
export function withoutValues(typed: string): string {
  const kinds = typed
    .replaceAll(URL_VALUE, ' url ')
    .replaceAll(EMAIL_VALUE, ' email ')
    .replaceAll(FILE_VALUE, ' file ');
  const left = [MONTH_WITH_NUMBER, ...OTHER_VALUES, PADDING].reduce(
    (text, value) => text.replaceAll(value, ' '),
    kinds,
  );
  return /\p{L}/u.test(left) ? left : typed;
}
