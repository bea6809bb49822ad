/** How many requests to one upstream are in progress, and who waits for one to end. */

import { UpstreamFailure } from '../failures.ts';

/** Waits, and rejects when the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

interface Waiter {
  admit(): void;
  refuse(failure: UpstreamFailure): void;
}

/** Places for requests. First come, first served. */
export class Places {
  /** Probes of a breaker too, which take a place where there is none. */
  taken = 0;
  readonly #count: number;
  readonly #wait: Wait;
  readonly #waiters = new Set<Waiter>();

  /** @param count as many requests as may be in progress, and as many as may wait. */
  constructor(count: number, wait: Wait) {
    this.#count = count;
    this.#wait = wait;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /** Takes a place where one is free, or whatever the number. `free` must follow. @returns false where none is. */
  take(anyway = false): boolean {
    if (!anyway && this.taken >= this.#count) return false;
    this.taken += 1;
    return true;
  }

  /**
   * Waits for a place, which is then taken. `free` must follow.
   *
   * @throws {UpstreamFailure} `busy`: as many wait, or none was free in time. `cancelled`. What `refuseAll` says.
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

  /** Gives a place back, to who has waited longest. */
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

/** How long others take is not known. */
const BUSY_RETRY_SECONDS = 5;

function busy(): UpstreamFailure {
  return new UpstreamFailure('busy', { retryAfterSeconds: BUSY_RETRY_SECONDS });
}
