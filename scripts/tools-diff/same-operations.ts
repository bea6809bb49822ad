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
  const known = new Map<string, readonly string[] | null>();
  const referencesAt = (reference: string): readonly string[] | null => {
    const found = known.get(reference);
    if (found !== undefined) return found;
    const tokens = pointerTokens(fragmentPointer(reference) ?? '');
    const [one, other] = [before, after].map((document) => textOf(tokens.reduce(member, document)));
    const references = one === other ? referencesIn(one ?? '') : null;
    known.set(reference, references);
    return references;
  };
  return (was, is) => {
    if (was === null || is === null || was.method !== is.method || was.path !== is.path) return false;
    const [one, other] = [before, after].map((document) => operationText(document, is.method.toLowerCase(), is.path));
    if (one == null || one !== other) return false;
    const reached = new Set(referencesIn(one));
    for (const reference of reached) {
      const more = referencesAt(reference);
      if (more === null) return false;
      for (const next of more) reached.add(next);
    }
    return true;
  };
}

function surroundings(document: unknown): unknown {
  const kept = Object.entries(toRecord(document)).filter(
    ([name]) => !ONE_BY_ONE.includes(name) && !WORDS_ALONE.test(name),
  );
  return [kept, toRecord(toRecord(document).components).securitySchemes ?? null];
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
