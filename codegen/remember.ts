/** Reads a cache, and fills it on demand. */

/** What `remember` reads and fills. */
export interface Cache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** The value under a key; at the first call, what `create` returns. */
export function remember<Key, Value>(cache: Cache<Key, Value>, key: Key, create: () => Value): Value {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const value = create();
  cache.set(key, value);
  return value;
}
