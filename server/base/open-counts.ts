/** Counts what is open at a time, by key. */

/** Counts by key. A key with nothing open takes no memory. */
export class OpenCounts {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Counts one more. @returns a function to call once, when that one is over. */
  open(key: string): () => void {
    this.#counts.set(key, this.of(key) + 1);
    return () => {
      const remaining = this.of(key) - 1;
      if (remaining === 0) this.#counts.delete(key);
      else this.#counts.set(key, remaining);
    };
  }
}
