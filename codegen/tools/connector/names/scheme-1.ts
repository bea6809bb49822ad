/** The first naming scheme: the words of the operationId, with a digest if they are too long or not unique. */

import type { OperationModel } from '../../../model/types.ts';
import { toOperationWords } from '../../words/operation-words.ts';
import { toSnakeCase } from '../../words/words.ts';
import { DIGEST_LENGTHS, MAX_TOOL_NAME_LENGTH, TOOL_NAME_AIM, withDigest } from './lengths.ts';
import { settleNames, type ToolNames } from './settle.ts';
import { ABBREVIATIONS, FILLERS } from './vocabulary.ts';

/** Names as they were before there was a second scheme. */
export function nameByOperationId(
  prefix: string,
  operations: readonly OperationModel[],
  taken: ReadonlySet<string>,
): ToolNames {
  return settleNames(operations, taken, (operation) => {
    const name = toWantedName(prefix, operation);
    return { names: [name, ...DIGEST_LENGTHS.map((length) => withDigest(name, operation, length))], whole: null };
  });
}

function toWantedName(prefix: string, operation: OperationModel): string {
  const words = toOperationWords(operation);
  const full = toSnakeCase([prefix, ...words]);
  if (full.length <= TOOL_NAME_AIM) return full;
  const kept = words.filter((word, index) => !FILLERS.has(word) && words.indexOf(word) === index && word !== prefix);
  const short = toSnakeCase([prefix, ...kept.map((word) => ABBREVIATIONS.get(word) ?? word)]);
  return short.length <= MAX_TOOL_NAME_LENGTH ? short : withDigest(short, operation, DIGEST_LENGTHS[0]);
}
