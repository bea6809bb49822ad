/** Counts the operations of a document without a word of codegen's own reading. */

import { readDocument, toObject, valueAt } from './document.ts';

const METHODS = ['delete', 'get', 'head', 'options', 'patch', 'post', 'put', 'query', 'trace'];

/** Operations under `paths`, with those of referenced path items; null for a text that does not parse. */
export function countOperations(text: string): number | null {
  const document = readDocument(text);
  if (Object.keys(document).length === 0) return null;
  return operationsOf(document).length;
}

/** Each operation under `paths`, with what its path item says of it. */
export function operationsOf(document: Readonly<Record<string, unknown>>): readonly {
  readonly method: string;
  readonly path: string;
  readonly operation: Readonly<Record<string, unknown>>;
}[] {
  return Object.entries(toObject(document.paths))
    .filter(([path]) => path.startsWith('/'))
    .flatMap(([path, item]) => {
      const { $ref } = toObject(item);
      const own = { ...(typeof $ref === 'string' ? valueAt(document, $ref) : {}), ...toObject(item) };
      const additional = Object.entries(toObject(own.additionalOperations));
      return [
        ...METHODS.filter((method) => method in own).map((method) => [method, own[method]] as const),
        ...additional,
      ].map(([method, operation]) => ({ method: method.toUpperCase(), path, operation: toObject(operation) }));
    });
}
