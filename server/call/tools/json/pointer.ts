/** JSON pointers (RFC 6901). */

import { parsePointer } from '../../../../shared/search/schema-types.ts';

export { parsePointer, readPointer } from '../../../../shared/search/schema-types.ts';

/**
 * Copies the document with another value at the pointer.
 *
 * Only containers on the path are copied. If the place does not exist, returns the document itself.
 */
export function replaceAt(document: unknown, pointer: string, value: unknown): unknown {
  const [token, ...rest] = parsePointer(pointer);
  if (token === undefined) return value;
  if (typeof document !== 'object' || document === null || !Object.hasOwn(document, token)) return document;
  const inner = replaceAt((document as Record<string, unknown>)[token], toPointer(rest), value);
  if (Array.isArray(document)) return document.with(Number(token), inner);
  return { ...document, [token]: inner };
}

/**
 * Copies the document without the members and elements at the pointers.
 *
 * All are removed at once, so indexes refer to the original document. Takes time in proportion to the containers on the
 * paths, however many values are removed.
 */
export function removeAll(document: unknown, pointers: Iterable<string>): unknown {
  const root: RemovalNode = { removed: false, below: new Map() };
  for (const pointer of pointers) {
    let node = root;
    for (const token of parsePointer(pointer)) {
      const next = node.below.get(token) ?? { removed: false, below: new Map() };
      node.below.set(token, next);
      node = next;
    }
    node.removed = true;
  }
  return withoutRemoved(document, root);
}

interface RemovalNode {
  removed: boolean;
  readonly below: Map<string, RemovalNode>;
}

function withoutRemoved(value: unknown, node: RemovalNode): unknown {
  if (node.below.size === 0 || typeof value !== 'object' || value === null) return value;
  const keep = ([token, member]: [string, unknown]): [string, unknown][] => {
    const inner = node.below.get(token);
    if (inner?.removed) return [];
    return [[token, inner === undefined ? member : withoutRemoved(member, inner)]];
  };
  const kept = Object.entries(value).flatMap(keep);
  return Array.isArray(value) ? kept.map(([, member]) => member) : Object.fromEntries(kept);
}

/** Joins tokens into a pointer. */
export function toPointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
