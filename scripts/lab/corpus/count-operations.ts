/** Counts the operations of a document independently of codegen. */

import { toRecord } from '../../../codegen/json.ts';
import { readDocument, valueAt } from './document.ts';

const METHODS = ['delete', 'get', 'head', 'options', 'patch', 'post', 'put', 'query', 'trace'];

/** Number of operations under `paths`, including referenced path items; null for a text that does not parse. */
export function countOperations(text: string): number | null {
  const document = readDocument(text);
  if (Object.keys(document).length === 0) return null;
  return operationsOf(document).length;
}

/** Each operation under `paths`, with what applies to it from its path item. */
function operationsOf(document: Readonly<Record<string, unknown>>): readonly {
  readonly method: string;
  readonly path: string;
  readonly operation: Readonly<Record<string, unknown>>;
}[] {
  return Object.entries(toRecord(document.paths))
    .filter(([path]) => path.startsWith('/'))
    .flatMap(([path, item]) => {
      const { $ref } = toRecord(item);
      const own = { ...(typeof $ref === 'string' ? valueAt(document, $ref) : {}), ...toRecord(item) };
      const additional = Object.entries(toRecord(own.additionalOperations));
      return [
        ...METHODS.filter((method) => method in own).map((method) => [method, own[method]] as const),
        ...additional,
      ].map(([method, operation]) => ({ method: method.toUpperCase(), path, operation: toRecord(operation) }));
    });
}
