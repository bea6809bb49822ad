/** Reads a cache, and fills it on demand. */

/** What `remember` reads and fills. */
export interface Cache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** The value under a key; at the first call, what `make` returns. */
export function remember<Key, Value>(cache: Cache<Key, Value>, key: Key, make: () => Value): Value {
  const before = cache.get(key);
  if (before !== undefined) return before;
  const made = make();
  cache.set(key, made);
  return made;
}
