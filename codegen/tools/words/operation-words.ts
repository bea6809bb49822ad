/** The words in an operation's own name. */

import type { OperationModel } from '../../model/types.ts';
import { toSnakeCase, toWords } from './words.ts';

/** The parts of an operation that its name uses. */
export type NamedOperation = Pick<OperationModel, 'id' | 'method' | 'path'>;

/** Words of the `operationId`, or of the method and the path if there is none. */
export function toOperationWords(operation: NamedOperation): readonly string[] {
  const words = operation.id === null ? [] : toWords(operation.id);
  return words.length > 0 ? words : toPathWords(operation);
}

function toPathWords({ method, path }: NamedOperation): readonly string[] {
  const segments = path.split('/').filter((segment) => segment !== '');
  const last = segments.length - 1;
  const words = segments.flatMap((segment, index) => {
    const parameters = segment.match(/\{[^{}]*\}/g) ?? [];
    const fixed = toWords(segment.replace(/\{[^{}]*\}/g, ' '));
    return index === last && parameters.length > 0 ? [...fixed, 'by', ...toWords(parameters.join(' '))] : fixed;
  });
  return [toMethodWord(method), ...words];
}

/** `get` of GET, `m_search` of M-SEARCH. */
export function toMethodWord(method: string): string {
  return toSnakeCase(toWords(method));
}
