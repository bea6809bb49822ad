/** Finds the operations that two descriptors describe identically, including everything that they refer to. */

import { toRecord } from '../../codegen/json.ts';
import { fragmentPointer, member, pointerTokens } from '../../codegen/json-pointer.ts';

/** Parts of a document that do not affect how an operation is called or answered. */
const WORDS_ALONE = /^(?:info|tags|externalDocs|webhooks|x-.*)$/;
/** Parts of a document that are compared separately for each operation and component. */
const ONE_BY_ONE = ['paths', 'components'];
const POINTER = /"(#\/(?:[^"\\]|\\.)*)"/g;

/** The operation of a tool, before or after. Null if the tool is hand-written. */
type Operation = { readonly method: string; readonly path: string } | null;

type IsSame = (before: Operation, after: Operation) => boolean;

/**
 * Compares as text, so that operations whose meaning might differ never count as the same.
 *
 * @param before,after descriptors with local references only
 */
export function findSameOperations(before: unknown, after: unknown): IsSame {
  if (textOf(surroundings(before)) !== textOf(surroundings(after))) return () => false;
  /** By reference: the references in a text that is the same on both sides, or null if the text differs. */
  const referenceCache = new Map<string, readonly string[] | null>();
  const referencesAt = (reference: string): readonly string[] | null => {
    const cachedReferences = referenceCache.get(reference);
    if (cachedReferences !== undefined) return cachedReferences;
    const tokens = pointerTokens(fragmentPointer(reference) ?? '');
    const [one, other] = [before, after].map((document) => textOf(tokens.reduce(member, document)));
    const references = one === other ? referencesIn(one ?? '') : null;
    referenceCache.set(reference, references);
    return references;
  };
  return (beforeOperation, afterOperation) => {
    if (
      beforeOperation === null ||
      afterOperation === null ||
      beforeOperation.method !== afterOperation.method ||
      beforeOperation.path !== afterOperation.path
    )
      return false;
    const [one, other] = [before, after].map((document) =>
      operationText(document, afterOperation.method.toLowerCase(), afterOperation.path),
    );
    if (one == null || one !== other) return false;
    const visited = new Set(referencesIn(one));
    for (const reference of visited) {
      const more = referencesAt(reference);
      if (more === null) return false;
      for (const next of more) visited.add(next);
    }
    return true;
  };
}

function surroundings(document: unknown): unknown {
  const otherEntries = Object.entries(toRecord(document)).filter(
    ([name]) => !ONE_BY_ONE.includes(name) && !WORDS_ALONE.test(name),
  );
  return [otherEntries, toRecord(toRecord(document).components).securitySchemes ?? null];
}

/** Returns an operation as text, including what the path item says about all operations. Null if there is no such operation. */
function operationText(document: unknown, method: string, path: string): string | null {
  const item = toRecord(member(toRecord(document).paths, path));
  const operation = member(item, method);
  return operation === undefined ? null : textOf([item.parameters, item.servers, operation]);
}

function referencesIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(POINTER), ([quoted]) => JSON.parse(quoted) as string))];
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
