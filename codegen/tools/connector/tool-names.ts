/** Default names of tools: the prefix of a service and the words of its operations. */

import type { OperationModel } from '../../model/types.ts';
import { type NamedOperation, toMethodWord, toOperationWords } from '../words/operation-words.ts';
import { toSingular, toSnakeCase } from '../words/words.ts';
import { toBaseWords } from './names/base-words.ts';
import { type PathWords, readPath } from './names/path-words.ts';
import { condense, dropContext, lengthOf, mainWordOf } from './names/shorten.ts';
import {
  assignUniqueNames,
  cutAtWord,
  DIGEST_LENGTHS,
  MAX_TOOL_NAME_LENGTH,
  type ToolNames,
  withDigest,
} from './names/unique-names.ts';

export { operationKey } from './names/operation-key.ts';

/** Default names have at most this many characters where possible, because clients add their own prefix. */
const TOOL_NAME_AIM = 40;

/** Prefix of default names: that of connector.yaml, else the folder's name in `[a-z][a-z0-9_]*`. */
export function toToolPrefix(service: string, toolPrefix?: string): string {
  if (toolPrefix !== undefined) return toolPrefix;
  const prefix = service
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return /^[a-z]/.test(prefix) ? prefix : `api_${prefix}`.replace(/_$/, '');
}

/** Minimum room for the words of an operation after a long prefix, even beyond the aim. */
const MIN_WORDS_LENGTH = 22;

/**
 * Returns default names of operations, unique among themselves and against `takenNames`.
 *
 * Their words tell an agent what the tools do, without repetition, in at most 40 characters if possible; words make them unique before digests do. A
 * name depends only on its own operation, unless several operations would get the same name. Then no operation gets it, whatever their order, so that
 * a name never moves from one operation to another.
 */
export function nameTools(
  prefix: string,
  operations: readonly OperationModel[],
  takenNames: ReadonlySet<string>,
): ToolNames {
  return assignUniqueNames(operations, takenNames, (operation) => {
    const path = readPath(operation.path);
    const base = toBaseWords(operation, path, prefix.split('_'));
    const fullName = toSnakeCase([prefix, ...base]);
    const names = toCandidates({ prefix, operation, path, base });
    return { names, fullName: fullName.length <= MAX_TOOL_NAME_LENGTH ? fullName : null };
  });
}

interface NameParts {
  readonly prefix: string;
  readonly operation: NamedOperation;
  readonly path: PathWords;
  readonly base: readonly string[];
}

/** From the shortest name to names with more words of the path, then names with a digest. */
function* toCandidates({ prefix, operation, path, base }: NameParts): Generator<string> {
  const prefixWords = prefix.split('_');
  const maxWordsLength = MAX_TOOL_NAME_LENGTH - prefix.length;
  const targetLength = Math.min(maxWordsLength, Math.max(TOOL_NAME_AIM - prefix.length, MIN_WORDS_LENGTH));
  const mainWord = mainWordOf(base);
  const toName = (words: readonly string[]) => cutAtWord(toSnakeCase([prefix, ...words]), MAX_TOOL_NAME_LENGTH);
  const shorten = (words: readonly string[], maxLength: number) =>
    dropContext(condense(words, maxLength, prefixWords, path), maxLength, path, mainWord);
  const preferredName = toName(shorten(base, targetLength));
  yield preferredName;
  yield toName(shorten(base, maxWordsLength));
  const condensed = condense(base, 0, prefixWords, path);
  yield toName(condensed);
  yield toName(lastWords(condensed, maxWordsLength));
  yield toName(shorten(toOperationWords(operation), maxWordsLength));
  const missing = missingIn(base, path);
  const byParameter = path.parameter.length === 0 ? [] : ['by', ...path.parameter];
  const method = toMethodWord(operation.method);
  const additions = [
    missing,
    byParameter,
    path.version,
    [method],
    [...missing, ...byParameter],
    [...byParameter, method],
  ];
  for (const words of [...additions, [...path.version, ...missing]]) {
    const addedWords = shorten(words, maxWordsLength / 2);
    yield toName([...shorten(base, maxWordsLength - lengthOf(addedWords)), ...addedWords]);
  }
  yield toName(shorten([method, ...path.version, ...path.all], maxWordsLength));
  for (const length of DIGEST_LENGTHS) yield withDigest(preferredName, operation, length);
}

function lastWords(words: readonly string[], maxLength: number): readonly string[] {
  const start = words.findIndex((_, index) => lengthOf(words.slice(index)) <= maxLength);
  return start < 0 ? words.slice(-1) : words.slice(start);
}

function missingIn(base: readonly string[], { resource }: PathWords): readonly string[] {
  const baseSingulars = new Set(base.map(toSingular));
  return [...new Set(resource)].filter((word) => !baseSingulars.has(toSingular(word)));
}
