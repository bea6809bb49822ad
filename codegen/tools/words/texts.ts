/** The words that a model reads: cleaned texts of descriptors, and defaults where a descriptor says nothing. */

import type { OperationModel } from '../../model/types.ts';
import { toOperationWords } from './operation-words.ts';
import { toSentence } from './words.ts';

/** Longest tool description taken from a descriptor; texts of connector.yaml are never cut. */
export const MAX_TOOL_DESCRIPTION_CHARS = 1024;
/** Longest argument description taken from a descriptor. */
export const MAX_ARGUMENT_DESCRIPTION_CHARS = 1024;
const MAX_TITLE_CHARS = 80;
const DEPRECATED = 'Deprecated by the upstream. ';

/** Line breaks stay; other controls, and the invisible characters that can hide or reorder text, go. */
const INVISIBLE = /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Printable ASCII with single spaces between words: most short texts, and tidy already. */
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

/** The text up to a limit, cut after a sentence where one ends in its second half, else after a word. */
export function toShortText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, limit - 1);
  const sentence = Math.max(head.lastIndexOf('. '), head.lastIndexOf('.\n'), head.lastIndexOf('\n\n'));
  if (sentence > limit / 2) return head.slice(0, sentence + 1).trimEnd();
  const word = head.lastIndexOf(' ');
  return `${(word > limit / 2 ? head.slice(0, word) : head).toWellFormed().trimEnd()}…`;
}

/** Joins texts as sentences of one paragraph, each once. */
export function joinSentences(...parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => (/[.!?…:)\]`]$/.test(part) ? part : `${part}.`))
    .join(' ');
}

/** Title of a tool where connector.yaml gives none: the summary, or the words of the operation's name. */
export function toDefaultTitle(operation: OperationModel): string {
  const summary = toCleanText(operation.summary).replace(/\n+/g, ' ').replace(/\.$/, '');
  if (summary !== '') return toShortText(summary, MAX_TITLE_CHARS);
  return toShortText(toSentence(toOperationWords(operation)), MAX_TITLE_CHARS);
}

/** Description of a tool where connector.yaml gives none; empty where the descriptor says nothing either. */
export function toDefaultDescription(operation: OperationModel): string {
  const summary = toCleanText(operation.summary);
  const description = toCleanText(operation.description);
  const same = description.toLowerCase().startsWith(summary.replace(/\.$/, '').toLowerCase());
  const text = same ? description : description === '' ? summary : `${joinSentences(summary)}\n\n${description}`;
  const mark = operation.deprecated && text !== '' ? DEPRECATED : '';
  return `${mark}${toShortText(joinSentences(text), MAX_TOOL_DESCRIPTION_CHARS - mark.length)}`;
}

/** What a model is told about an operation without any text. */
export function toBareDescription(operation: OperationModel): string {
  const text = `Calls ${operation.method} ${operation.path}.`;
  return operation.deprecated ? `${DEPRECATED}${text}` : text;
}
