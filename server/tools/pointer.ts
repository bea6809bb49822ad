/** JSON pointers (RFC 6901). */

/** Splits a pointer into unescaped tokens; the empty pointer has none. */
export function parsePointer(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value that a pointer names, or undefined when there is none. Own members only. */
export function readPointer(document: unknown, pointer: string): unknown {
  let value = document;
  for (const token of parsePointer(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined;
    value = (value as Record<string, unknown>)[token];
  }
  return value;
}

/**
 * A copy of the document with another value at the pointer.
 *
 * Only what lies on the way is copied. A pointer into nothing returns the document itself.
 */
export function replaceAt(document: unknown, pointer: string, value: unknown): unknown {
  const [token, ...rest] = parsePointer(pointer);
  if (token === undefined) return value;
  if (typeof document !== 'object' || document === null || !Object.hasOwn(document, token)) return document;
  const inner = replaceAt((document as Record<string, unknown>)[token], toPointer(rest), value);
  if (Array.isArray(document)) return document.with(Number(token), inner);
  return { ...document, [token]: inner };
}

/** A copy of the document without the member or element at the pointer. */
export function removeAt(document: unknown, pointer: string): unknown {
  const [token, ...rest] = parsePointer(pointer);
  if (token === undefined || typeof document !== 'object' || document === null) return document;
  if (!Object.hasOwn(document, token)) return document;
  if (rest.length > 0) {
    const inner = (document as Record<string, unknown>)[token];
    const changed = removeAt(inner, toPointer(rest));
    return changed === inner ? document : replaceAt(document, toPointer([token]), changed);
  }
  if (Array.isArray(document)) return document.toSpliced(Number(token), 1);
  const { [token]: _, ...others } = document as Record<string, unknown>;
  return others;
}

/** Joins tokens into a pointer. */
export function toPointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
