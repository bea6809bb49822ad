/** How many requests to one upstream are in progress, and who waits for one to end. */

import { UpstreamFailure } from '../failures.ts';

/** Waits, and rejects when the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

interface Waiter {
  admit(): void;
  refuse(failure: UpstreamFailure): void;
}

/** Places for concurrent requests. First come, first served. */
export class Places {
  /** Includes probes of a breaker, which take a place even when none is free. */
  taken = 0;
  readonly #count: number;
  readonly #wait: Wait;
  readonly #waiters = new Set<Waiter>();

  /** @param count how many requests may be in progress, and how many may wait. */
  constructor(count: number, wait: Wait) {
    this.#count = count;
    this.#wait = wait;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /** Takes a free place, or any with `anyway`. `free` must follow. @returns false when none is free. */
  take(anyway = false): boolean {
    if (!anyway && this.taken >= this.#count) return false;
    this.taken += 1;
    return true;
  }

  /**
   * Waits for a place, which is then taken. `free` must follow.
   *
   * @throws {UpstreamFailure} `busy`: too many wait, or none was free in time; `cancelled`; the failure of `refuseAll`.
   */
  async takeNext(ms: number, signal: AbortSignal): Promise<void> {
    if (this.waiting >= this.#count) throw busy();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { admit: resolve, refuse: reject };
    this.#waiters.add(waiter);
    const over = new AbortController();
    const giveUp = (failure: UpstreamFailure) => this.#waiters.delete(waiter) && reject(failure);
    this.#wait(ms, AbortSignal.any([signal, over.signal])).then(
      () => giveUp(busy()),
      () => giveUp(new UpstreamFailure('cancelled')),
    );
    try {
      await promise;
    } finally {
      over.abort();
    }
  }

  /** Gives a place back, to the request that has waited longest. */
  free(): void {
    const [next] = this.taken <= this.#count ? this.#waiters : [];
    if (next === undefined) {
      this.taken -= 1;
      return;
    }
    this.#waiters.delete(next);
    next.admit();
  }

  refuseAll(failure: UpstreamFailure): void {
    for (const waiter of this.#waiters) waiter.refuse(failure);
    this.#waiters.clear();
  }
}

/** A guess: how long others take is unknown. */
const BUSY_RETRY_SECONDS = 5;

function busy(): UpstreamFailure {
  return new UpstreamFailure('busy', { retryAfterSeconds: BUSY_RETRY_SECONDS });
}
