/** A cache with a largest number of entries. */

/** A map that drops the entry set longest ago when it has too many. Setting an entry again makes it the newest. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #maxSize: number;

  constructor(maxSize: number) {
    super();
    this.#maxSize = maxSize;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#maxSize) this.delete(this.keys().next().value as Key);
    return this;
  }
}
