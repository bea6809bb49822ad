/** RFC 6901 pointers: written, parsed, and followed in a document. */

/** `/paths/~1documents/get` from `['paths', '/documents', 'get']`; the empty pointer is the whole document. */
export function toPointer(tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${escapeToken(token)}`).join('');
}

/** One reference token, escaped (RFC 6901 §3). */
export function escapeToken(token: string | number): string {
  return String(token).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The tokens of a pointer, unescaped. */
export function pointerTokens(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * The pointer in the fragment of a URI, percent-decoded (RFC 6901 §6): `/a b` from `#/a%20b`.
 *
 * Null if the fragment is not a pointer, such as `#anchor`.
 */
export function fragmentPointer(fragment: string): string | null {
  const encoded = fragment.startsWith('#') ? fragment.slice(1) : fragment;
  if (encoded !== '' && !encoded.startsWith('/')) return null;
  if (!encoded.includes('%')) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** The own entry of a record under a name from the descriptor or connector.yaml, which may be `constructor`. */
export function entryOf<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The own member that one token names; undefined if there is none. */
export function member(value: unknown, token: string): unknown {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, token)) return undefined;
  return (value as Record<string, unknown>)[token];
}
