/** Random choices that are repeatable with a seed. */

export interface Random {
  /** A number from 0 up to but excluding 1. */
  next(): number;
  /** An integer from 0 up to but excluding `count`. */
  below(count: number): number;
  /** One of the items; undefined if there are none. */
  pick<Item>(items: readonly Item[]): Item | undefined;
}

/** Mulberry32: 32 bits of state are enough to choose nodes and users. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return { next, below, pick: (items) => items[below(items.length)] };
}
