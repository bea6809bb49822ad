/** Default title and description of a tool: from the descriptor, or made from the request. */

import type { OperationModel, ResponseModel, Schema } from '../../model/types.ts';
import { wordSet } from '../../word-set.ts';
import { toOperationWords } from './operation-words.ts';
import { toPlainText } from './plain-text.ts';
import { joinSentences, MAX_TOOL_DESCRIPTION_CHARS, toCleanText, toShortText } from './texts.ts';
import { VERBS } from './verbs.ts';
import { toSentence, toSingular, toWords } from './words.ts';

const MAX_TITLE_CHARS = 80;
const DEPRECATED = 'Deprecated by the upstream. ';

/** Words of a summary that a description need not repeat. */
const SMALL_WORDS = wordSet(
  'a all an and as at by fetch for from get given in list of on or retrieve return show the this to via with',
);

/** A summary that is a name in code: `CancelSubscription`, `cancel_subscription`. */
const IDENTIFIER = /^[A-Za-z]+(?:[a-z0-9][A-Z]|_)\w*$/;

/** Maximum number of arguments in a sentence. */
const MAX_NAMED = 6;

/**
 * The summary; else the first sentence of the description if it starts with a verb, or the words of the operation's
 * name.
 */
export function toDefaultTitle(operation: OperationModel): string {
  const summary = toLine(toPlainText(operation.summary));
  if (IDENTIFIER.test(summary)) return toShortText(toSentence(toWords(summary)), MAX_TITLE_CHARS);
  if (summary !== '') return toShortText(summary, MAX_TITLE_CHARS);
  const words = toOperationWords(operation);
  const [sentence = ''] = /^[^\n]+?(?=[.!?](?:\s|$)|\n|$)/.exec(toPlainText(operation.description)) ?? [];
  const isShort = sentence !== '' && sentence.length <= MAX_TITLE_CHARS;
  const isAction = VERBS.has(toSingular(toWords(sentence)[0] ?? ''));
  const hasName = operation.id !== null && words.length > 1;
  return isShort && (isAction || !hasName) ? sentence : toShortText(toSentence(words), MAX_TITLE_CHARS);
}

/**
 * The descriptor's texts, without a summary that the description repeats; empty if there are none. A description that begins with a verb
 * repeats a summary whose things it names: `Update user` says no more than `Changes some data of a user`.
 */
export function toDefaultDescription(operation: OperationModel): string {
  const summary = toPlainText(operation.summary);
  const description = toPlainText(operation.description);
  const repeatsSummary = description !== '' && hasWordsOf(description, summary);
  const text = repeatsSummary
    ? description
    : description === ''
      ? summary
      : `${joinSentences(summary)}\n\n${description}`;
  const mark = operation.deprecated && text !== '' ? DEPRECATED : '';
  return `${mark}${toShortText(joinSentences(text), MAX_TOOL_DESCRIPTION_CHARS - mark.length)}`;
}

/**
 * The description of an operation without any text: its name, its request, what it needs and what it returns.
 *
 * @param requiredNames names of the required arguments
 */
export function toBareDescription(operation: OperationModel, requiredNames: readonly string[]): string {
  const { method, path, deprecated, responses } = operation;
  const name = toSentence(toOperationWords(operation));
  const remainder = requiredNames.length > MAX_NAMED ? ` and ${requiredNames.length - MAX_NAMED} more` : '';
  const needs = requiredNames.length === 0 ? '' : `Needs ${requiredNames.slice(0, MAX_NAMED).join(', ')}${remainder}.`;
  const answer = answerOf(responses);
  const text = joinSentences(`${name}: ${method} ${path}.`, needs, answer === '' ? '' : `Answers ${answer}.`);
  return toShortText(`${deprecated ? DEPRECATED : ''}${text}`, MAX_TOOL_DESCRIPTION_CHARS);
}

function toLine(text: string): string {
  return text.replace(/\s*\n+\s*/g, ' ').replace(/\.$/, '');
}

/** True if a text has all words of another one, in any form and order; if it says what is done, half of the things. */
function hasWordsOf(text: string, other: string): boolean {
  const [first = '', ...otherWords] = toWords(text).map(toSingular);
  const textWords = new Set([first, ...otherWords]);
  const words = toWords(other).filter((word) => !SMALL_WORDS.has(word));
  const isInText = (word: string) => textWords.has(toSingular(word));
  if (!VERBS.has(first) || otherWords.length < 3) return words.every(isInText);
  const objectWords = words.filter((word) => !VERBS.has(toSingular(word)));
  return 2 * objectWords.filter(isInText).length >= objectWords.length;
}

/** `a Token`, `a list of Token`: the names of schemas of the first successful answer. */
function answerOf(responses: readonly ResponseModel[]): string {
  const schema = responses.find(({ status }) => status.startsWith('2'))?.contents[0]?.schema;
  if (schema === undefined || schema === null) return '';
  const schemaName = nameOf(schema);
  if (schemaName !== '') return schemaName;
  const itemSchemaName = isSchema(schema.items) ? nameOf(schema.items) : '';
  return itemSchemaName === '' ? '' : `a list of ${itemSchemaName}`;
}

function nameOf({ $ref, title }: Schema): string {
  if (typeof $ref === 'string')
    return /^#\/components\/schemas\/(?!schema\d*$|inline)([\w.-]+)$/i.exec($ref)?.[1] ?? '';
  return toShortText(toLine(toCleanText(title)), MAX_TITLE_CHARS);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}
