/** The parts of a circuit: a breaker, closed while an upstream answers, and the number of requests in progress. */

import type { Wait } from '../with-timeout.ts';

/** Why a request counts against its upstream. Holds no text of the upstream, and no URL. */
export interface CountedFailure {
  /** Kind of an `UpstreamFailure`; `status`: an answer that reports the upstream as unavailable. */
  readonly kind: string;
  readonly status: number | null;
  /** Code of the network error. */
  readonly reason: string | null;
}

/** The result of a request for the breaker: the upstream answers, it does not (with the reason), or the request says nothing about it (null). */
export type Verdict = 'answers' | CountedFailure | null;

/** `half-open`: a request is in progress that closes the breaker if it is answered. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** A request that was let through. */
interface Pass {
  readonly isProbe: boolean;
  /** The number of changes before it: a request that began before a change says nothing about the time after. */
  readonly change: number;
  /** Number of the request among those let through. */
  readonly number: number;
}

const MIN_FAILURES = 5;
const FAILED_SHARE = 0.5;

/** While a breaker is open, one request in this time is let through, even if earlier ones still wait for an answer. */
const PROBE_EVERY_MS = 5_000;

/**
 * Opens when at least five requests of the last half minute failed, they were at least half of all, and they came from more than one
 * caller. The first probe that is answered closes it. A timeout does not count when the upstream answered a request that began later: by
 * then, the upstream may have recovered.
 */
export class Breaker {
  /** Time at which it opened or closed last, in milliseconds since 1970, or null if it was always closed. */
  changedAt: number | null = null;
  readonly #window = new Window();
  #isOpen = false;
  #changes = 0;
  #probedAt = 0;
  #probes = 0;
  #passes = 0;
  #lastAnswered = 0;

  get state(): BreakerState {
    if (!this.#isOpen) return 'closed';
    return this.#probes > 0 ? 'half-open' : 'open';
  }

  /** Milliseconds until a request is let through; 0: one would be now. @param now milliseconds since 1970. */
  waitMs(now: number): number {
    const elapsedMs = now - this.#probedAt;
    // A clock that was set back must not block requests.
    return this.#isOpen && elapsedMs >= 0 ? Math.max(0, PROBE_EVERY_MS - elapsedMs) : 0;
  }

  /** Lets a request through, when `waitMs` is 0. `settle` must follow for a probe. For others it may be left out. */
  pass(now: number): Pass {
    if (this.#isOpen) {
      this.#probedAt = now;
      this.#probes += 1;
    }
    this.#passes += 1;
    return { isProbe: this.#isOpen, change: this.#changes, number: this.#passes };
  }

  /** Follows a breaker of the same upstream in another process: that it opened, that it closed, or that it lets a probe through. */
  follow(state: BreakerState, now: number): void {
    const isOpen = state !== 'closed';
    if (isOpen !== this.#isOpen) this.#change(isOpen, now);
    else if (state === 'half-open') this.#probedAt = now;
  }

  /** @returns whether it opened or closed. */
  settle({ isProbe, change, number }: Pass, verdict: Verdict, caller: Caller, now: number): boolean {
    if (verdict === 'answers') this.#lastAnswered = Math.max(this.#lastAnswered, number);
    if (change !== this.#changes) return false;
    if (isProbe) this.#probes -= 1;
    if (verdict === null) return false;
    if (verdict !== 'answers' && verdict.kind === 'timeout' && number < this.#lastAnswered) return false;
    if (isProbe) return verdict === 'answers' && this.#change(false, now);
    const isAnswered = verdict === 'answers';
    // A failed connection is never the fault of a request.
    const culprit = !isAnswered && verdict.kind === 'unreachable' ? null : caller;
    this.#window.add(!isAnswered, culprit, now);
    return !isAnswered && this.#isTooMuch(now) && this.#change(true, now);
  }

  #isTooMuch(now: number): boolean {
    const { answered, failed, isOfSeveral } = this.#window.sum(now);
    return isOfSeveral && failed >= MIN_FAILURES && failed >= (answered + failed) * FAILED_SHARE;
  }

  #change(isOpen: boolean, now: number): true {
    this.#isOpen = isOpen;
    this.#changes += 1;
    this.changedAt = now;
    this.#probedAt = now;
    this.#probes = 0;
    this.#window.clear();
    return true;
  }
}

/** The sender of a request. Null if the request cannot have caused the failure, for example because no connection was made. */
export type Caller = string | null;

interface Tally {
  readonly answered: number;
  readonly failed: number;
  /** True if the failures come from more than one caller. */
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
class Window {
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
    const total = (outcome: 'answered' | 'failed') => this.#slices.reduce((sum, slice) => sum + slice[outcome], 0);
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

/** The end of a wait for a place. `busy` means that too many wait, or none became free in time. */
type WaitOutcome = 'taken' | 'busy' | 'cancelled' | 'refused';

/** Counts the requests in progress to one upstream. Requests over the limit wait until another one ends, first come, first served. */
export class InFlight {
  /** Number of requests in progress, with the probes of a breaker, which are let through even at the limit. */
  count = 0;
  readonly #limit: number;
  readonly #wait: Wait;
  readonly #waiters = new Set<(end: WaitOutcome) => void>();

  /** @param limit how many requests may be in progress, and how many may wait. */
  constructor(limit: number, wait: Wait) {
    this.#limit = limit;
    this.#wait = wait;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /** Begins a request if the limit allows it, or `isForced`. `end` must follow. */
  begin(isForced = false): boolean {
    if (!isForced && this.count >= this.#limit) return false;
    this.count += 1;
    return true;
  }

  /** Waits for another request to end. `taken`: the request has begun, and `end` must follow. */
  async beginLater(ms: number, signal: AbortSignal): Promise<WaitOutcome> {
    if (this.waiting >= this.#limit) return 'busy';
    const { promise, resolve } = Promise.withResolvers<WaitOutcome>();
    this.#waiters.add(resolve);
    const waitAbort = new AbortController();
    const giveUp = (outcome: WaitOutcome) => this.#waiters.delete(resolve) && resolve(outcome);
    this.#wait(ms, AbortSignal.any([signal, waitAbort.signal])).then(
      () => giveUp('busy'),
      () => giveUp('cancelled'),
    );
    try {
      return await promise;
    } finally {
      waitAbort.abort();
    }
  }

  /** Ends a request. The request that has waited longest begins. */
  end(): void {
    const [next] = this.count <= this.#limit ? this.#waiters : [];
    if (next === undefined) {
      this.count -= 1;
      return;
    }
    this.#waiters.delete(next);
    next('taken');
  }

  /** Ends the wait of all. */
  refuseAll(): void {
    for (const refuse of this.#waiters) refuse('refused');
    this.#waiters.clear();
  }
}
