/** Describes an undescribed argument from what the document says elsewhere: of the same parameter, in the path, in the name. */

import type { OperationModel, ParameterModel } from '../../model/types.ts';
import { wordSet } from '../../word-set.ts';
import { toPlainText } from '../words/plain-text.ts';
import { toSentence, toSingular, toWords } from '../words/words.ts';
import type { Slot } from './slots.ts';

/** Names that mean nothing without their owner. */
const GENERIC = wordSet('code guid id identifier key name number pk ref sid slug uid uri uuid');
/** The ends of names that say whose they are: `padId` is the id of the pad. */
const IDS = wordSet('guid id ids identifier slug uid uuid uuids');
/** Words before an id that are no thing. */
const NO_THINGS =
  /^(?:all|any|client|current|custom|default|exclude|external|filter|from|global|in|include|internal|legacy|local|my|new|not|old|or|original|private|public|remote|to|unique|x)$/;
/** The share of a parameter's uses that must have the same text. */
const AGREEMENT = 0.8;

/** Returns the text of an argument that the descriptor does not describe. Empty if the text would say nothing more than its name. */
export type TextFinder = (operation: OperationModel, slot: Slot) => string;

/** Creates the finder. Its texts are never guesses: a text describes the same parameter elsewhere, or follows from the path and the name. */
export function createTextFinder(operations: readonly OperationModel[]): TextFinder {
  const texts = new Map<string, Map<string, number>>();
  for (const { path, parameters } of operations) {
    for (const parameter of parameters) {
      const text = toPlainText(parameter.description);
      const textCounts = texts.get(keyOf(path, parameter)) ?? new Map<string, number>();
      if (text !== '') texts.set(keyOf(path, parameter), textCounts.set(text, (textCounts.get(text) ?? 0) + 1));
    }
  }
  const findSharedText = (path: string, parameter: ParameterModel): string => {
    const sortedCounts = [...(texts.get(keyOf(path, parameter)) ?? [])].sort(([, a], [, b]) => b - a);
    const [text = '', uses = 0] = sortedCounts[0] ?? [];
    return uses >= AGREEMENT * sortedCounts.reduce((sum, [, count]) => sum + count, 0) ? text : '';
  };
  return (operation, slot) => {
    const { path } = operation;
    if (slot.name === null) return '';
    const name = slot.path?.at(-1) ?? slot.name;
    const sharedText = slot.parameter === null ? '' : findSharedText(path, slot.parameter);
    if (sharedText !== '') return sharedText;
    const inPath = slot.in === 'path' ? toPathArgumentText(path, name) : '';
    return inPath || toIdText(name) || (slot.in === 'body' && !slot.path ? toMemberText(operation, slot) : '');
  };
}

/** An id in a path is another one after another word. */
function keyOf(path: string, { in: place, name }: ParameterModel): string {
  const segments = place === 'path' ? path.split('/') : [];
  return [place, name, segments[segments.indexOf(`{${name}}`) - 1] ?? ''].join(' ');
}

/** `Id of the customer.` for `id` in `/customers/{id}`; empty if the name itself says more, or the path less. */
function toPathArgumentText(path: string, name: string): string {
  const words = toWords(name);
  const segments = path.split('/');
  const owner = ownerOf(segments[segments.indexOf(`{${name}}`) - 1] ?? '');
  if (words.length !== 1 || !GENERIC.has(words[0] ?? '') || owner === '' || owner === words[0]) return '';
  return `${toSentence(words)} of the ${owner}.`;
}

/** `Ids of the tags.` for `tagIds`; empty for other names. */
function toIdText(name: string): string {
  const words = toWords(name);
  const last = words.at(-1) ?? '';
  const ownerWords = words.slice(0, -1);
  if (!IDS.has(last) || ownerWords.length === 0 || ownerWords.some((word) => IDS.has(word) || NO_THINGS.test(word)))
    return '';
  return `${toSentence([last])} of the ${ownerWords.join(' ')}${/[^s]s$/.test(last) ? 's' : ''}.`;
}

/** `Name of the product.` for a member of what `POST /products` creates; empty for flags and where the path names no thing. */
function toMemberText({ method, path }: OperationModel, { name, schema }: Slot): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  const isItem = segments.at(-1)?.startsWith('{') === true;
  const owner = ownerOf(segments.at(isItem ? -2 : -1) ?? '');
  const words = toWords(name ?? '');
  const isWriteOfOwner = method === (isItem ? 'PUT' : 'POST') || (isItem && method === 'PATCH');
  const isScalar = schema.type === 'string' || schema.type === 'integer' || schema.type === 'number';
  if (!isWriteOfOwner || !isScalar || owner === '' || words.length === 0 || words.join(' ') === owner) return '';
  return `${toSentence(words)} of the ${owner}.`;
}

/** `bank account` of `bank-accounts`; empty for a segment that names no things. */
function ownerOf(segment: string): string {
  const owner = segment.includes('{') ? [] : toWords(segment);
  const last = toSingular(owner.at(-1) ?? '');
  return owner.length > 0 && last !== owner.at(-1) ? [...owner.slice(0, -1), last].join(' ') : '';
}
