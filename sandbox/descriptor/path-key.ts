/** Reads a key in `paths` that contains more than a path: `/bucket?acl`, `/items?kind=book`, `/bucket#acl`. */

/** A query parameter that distinguishes an operation from others with the same path and method. */
export interface QueryNeed {
  readonly name: string;
  /** Null for any value. */
  readonly value: string | null;
}

interface PathKey {
  readonly path: string;
  /** Required in the query of every request. */
  readonly query: readonly QueryNeed[];
  /** Never sent as such; may name query or header parameters that distinguish the operation. */
  readonly fragment: readonly QueryNeed[];
}

export function readPathKey(key: string): PathKey {
  const [, path = '', query = '', fragment = ''] =
    /^((?:\{[^{}]*\}|[^?#{])*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(key) ?? [];
  return path === ''
    ? { path: key, query: [], fragment: [] }
    : { path, query: toNeeds(query), fragment: toNeeds(fragment) };
}

/** Skips `name={name}`, which only shows where a parameter goes. */
function toNeeds(text: string): QueryNeed[] {
  const pairs = text.split('&').filter((pair) => pair !== '');
  return pairs.flatMap((pair) => {
    const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(pair) ?? [];
    return value === `{${name}}` ? [] : [{ name: decode(name), value: value === undefined ? null : decode(value) }];
  });
}

/** Leaves broken percent-encoding as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
