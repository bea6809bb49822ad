/** Splits names from descriptors into words, and joins words into our names. */

import { createHash } from 'node:crypto';
import { wordSet } from '../../word-set.ts';

/** Words that splitting at capitals would break. */
const WHOLE_WORDS: readonly (readonly [RegExp, string])[] = [[/OAuth/g, 'Oauth']];

/** Comparison operators that some APIs put into parameter names (`StartTime<`, `date[>=]`), longest first. */
const OPERATORS: readonly (readonly [RegExp, string])[] = [
  [/<=/g, ' lte '],
  [/>=/g, ' gte '],
  [/!=?/g, ' not '],
  [/</g, ' lt '],
  [/>/g, ' gt '],
  [/\+/g, ' plus '],
  [/^-(?=\d)/, ' minus '],
];

const WORD = /[A-Z]{2,}s(?![a-z])[0-9]*|[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+/g;

/** Names that need no replacement first. */
const SNAKE_CASE = /^[a-z0-9_]*$/;

/**
 * Lower-case ASCII words of a name: `listOAuthTokens` is `list oauth tokens`, `HTMLContent` is `html content`,
 * `filter[name]` is `filter name`. Letters lose their accents; characters of other scripts are lost.
 */
export function toWords(name: string): readonly string[] {
  if (SNAKE_CASE.test(name)) return name.match(WORD) ?? [];
  let text = name.normalize('NFKD').replace(/\p{M}/gu, '').replace(/ß/g, 'ss');
  for (const [pattern, replacement] of [...WHOLE_WORDS, ...OPERATORS]) text = text.replace(pattern, replacement);
  return (text.match(WORD) ?? []).map((word) => word.toLowerCase());
}

/** `['page', 'size']` is `pageSize`. */
export function toCamelCase(words: readonly string[]): string {
  return words.map((word, index) => (index === 0 ? word : toCapitalized(word))).join('');
}

/** `['page', 'size']` is `page_size`. */
export function toSnakeCase(words: readonly string[]): string {
  return words.join('_');
}

/** `['list', 'documents']` is `List documents`. */
export function toSentence(words: readonly string[]): string {
  return words.map((word, index) => (index === 0 ? toCapitalized(word) : word)).join(' ');
}

export function toCapitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** Words ending in s that are not plurals. */
const NO_PLURALS = wordSet('alias atlas aws bias canvas dns gas has https ios kubernetes news os series sms tls was');
const ES = /(?:ss|us|ias|zz|x|sh|[^a]ch)es$/;

/** `customers` is `customer`; a word that is not a plural stays. */
export function toSingular(word: string): string {
  if (word.length < 3 || NO_PLURALS.has(word) || !/[^ius]s$/.test(word)) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  return word.slice(0, ES.test(word) ? -2 : -1);
}

/** A short, stable name for a text: hexadecimal, of the given length (at most 64). */
export function toDigest(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
