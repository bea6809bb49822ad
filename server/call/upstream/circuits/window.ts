/** Counts of the outcome of requests in the last half minute. */

/** Who sent a request; null: the request cannot have caused the failure, such as when no connection was made. */
export type Caller = string | null;

interface Tally {
  readonly answered: number;
  readonly failed: number;
  /** Whether the failures come from more than one caller. */
  readonly isOfSeveral: boolean;
}

const WINDOW_MS = 30_000;
const SLICES = 10;
const SLICE_MS = WINDOW_MS / SLICES;

interface Slice {
  /** Number of the time slice. */
  readonly at: number;
  answered: number;
  failed: number;
  /** Two are enough to know that there are several. */
  readonly callers: Caller[];
}

/** Counts in time slices, so that memory does not grow with the number of requests. */
export class Window {
  readonly #slices: Slice[] = [];

  /** @param now milliseconds since 1970. */
  add(failed: boolean, caller: Caller, now: number): void {
    const slice = this.#sliceAt(now);
    if (!failed) {
      slice.answered += 1;
      return;
    }
    slice.failed += 1;
    if (slice.callers.length < 2 && !slice.callers.includes(caller)) slice.callers.push(caller);
  }

  /** @param now milliseconds since 1970. */
  sum(now: number): Tally {
    this.#forget(now);
    const callers = new Set(this.#slices.flatMap((slice) => slice.callers));
    const total = (of: 'answered' | 'failed') => this.#slices.reduce((sum, slice) => sum + slice[of], 0);
    return { answered: total('answered'), failed: total('failed'), isOfSeveral: callers.has(null) || callers.size > 1 };
  }

  clear(): void {
    this.#slices.length = 0;
  }

  #sliceAt(now: number): Slice {
    const at = Math.floor(now / SLICE_MS);
    const last = this.#slices.at(-1);
    if (last?.at === at) return last;
    // After the clock was set back, old counts would stay too long.
    if (last !== undefined && last.at > at) this.clear();
    this.#forget(now);
    const slice: Slice = { at, answered: 0, failed: 0, callers: [] };
    this.#slices.push(slice);
    return slice;
  }

  #forget(now: number): void {
    const oldest = Math.floor(now / SLICE_MS) - SLICES;
    while ((this.#slices[0]?.at ?? Number.POSITIVE_INFINITY) <= oldest) this.#slices.shift();
  }
}
