/** Reads a key of `paths` that says more than a path: `/bucket?acl`, `/items?kind=book`, `/bucket#acl`. */

/** A query parameter that tells an operation from others with the same path and method. */
export interface QueryNeed {
  readonly name: string;
  /** Null: any. */
  readonly value: string | null;
}

interface PathKey {
  readonly path: string;
  /** What every request says in its query. */
  readonly query: readonly QueryNeed[];
  /** What no request says for the key's sake: the same as parameters of the query or as headers. */
  readonly fragment: readonly QueryNeed[];
}

export function readPathKey(key: string): PathKey {
  const [, path = '', query = '', fragment = ''] =
    /^((?:\{[^{}]*\}|[^?#{])*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(key) ?? [];
  return path === ''
    ? { path: key, query: [], fragment: [] }
    : { path, query: toNeeds(query), fragment: toNeeds(fragment) };
}

/** `name={name}` only shows where a parameter goes. */
function toNeeds(text: string): QueryNeed[] {
  const pairs = text.split('&').filter((pair) => pair !== '');
  return pairs.flatMap((pair) => {
    const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(pair) ?? [];
    return value === `{${name}}` ? [] : [{ name: decode(name), value: value === undefined ? null : decode(value) }];
  });
}

/** Percent-encoding that is broken stays as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
