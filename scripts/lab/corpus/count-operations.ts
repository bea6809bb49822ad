/** Counts the operations of a document independently of codegen. */

import { parse } from 'yaml';
import { toRecord } from '../../../codegen/json.ts';
import { fragmentPointer, member, pointerTokens } from '../../../codegen/json-pointer.ts';

const METHODS = ['delete', 'get', 'head', 'options', 'patch', 'post', 'put', 'query', 'trace'];

/**
 * Returns the number of operations under `paths`, those of referenced path items included.
 *
 * @param text JSON or YAML. @returns null if it does not parse.
 */
export function countOperations(text: string): number | null {
  const document = parseDocument(text.replace(/^\uFEFF/, ''));
  if (document === null) return null;
  let count = 0;
  for (const [path, value] of Object.entries(toRecord(document.paths))) {
    if (!path.startsWith('/')) continue;
    const item = toRecord(value);
    const referenced = typeof item.$ref === 'string' ? resolveReference(document, item.$ref) : {};
    const members = { ...referenced, ...item };
    count += METHODS.filter((method) => method in members).length;
    count += Object.keys(toRecord(members.additionalOperations)).length;
  }
  return count;
}

function parseDocument(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return toRecord(/^\s*\{/.test(text) ? JSON.parse(text) : parse(text, { maxAliasCount: -1, merge: true }));
  } catch {
    return null;
  }
}

function resolveReference(document: unknown, reference: string): Readonly<Record<string, unknown>> {
  return toRecord(pointerTokens(fragmentPointer(reference) ?? '').reduce(member, document));
}
