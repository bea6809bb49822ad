/** Counts the operations of a document without a word of codegen's own reading. */

import { parse } from 'yaml';

const METHODS = ['delete', 'get', 'head', 'options', 'patch', 'post', 'put', 'query', 'trace'];

/** Operations under `paths`, with those of referenced path items; null for a text that does not parse. */
export function countOperations(text: string): number | null {
  const document = read(text);
  if (document === null) return null;
  return Object.entries(toObject(toObject(document).paths))
    .filter(([path]) => path.startsWith('/'))
    .map(([, item]) => {
      const { $ref } = toObject(item);
      const own = { ...(typeof $ref === 'string' ? toObject(valueAt(document, $ref)) : {}), ...toObject(item) };
      return METHODS.filter((method) => method in own).length + Object.keys(toObject(own.additionalOperations)).length;
    })
    .reduce((sum, count) => sum + count, 0);
}

function read(text: string): unknown {
  try {
    return /^\s*\{/.test(text) ? JSON.parse(text) : parse(text, { maxAliasCount: -1 });
  } catch {
    return null;
  }
}

function valueAt(document: unknown, ref: string): unknown {
  const tokens = decodeURIComponent(ref.slice(1)).split('/').slice(1);
  return tokens.reduce(
    (at: unknown, token) => toObject(at)[token.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  );
}

function toObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
