/** The circuit breaker of one upstream: closed while it answers, open while it does not. */

import type { CountedFailure, Verdict } from './judge.ts';
import { type Caller, Window } from './window.ts';

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
  /** When it opened or closed last, in milliseconds since 1970; null: it was always closed. */
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
    const passed = now - this.#probedAt;
    // A clock that was set back must not block requests.
    return this.#isOpen && passed >= 0 ? Math.max(0, PROBE_EVERY_MS - passed) : 0;
  }

  /** Lets a request through, when `waitMs` is 0. `settle` must follow. */
  pass(now: number): Pass {
    if (this.#isOpen) {
      this.#probedAt = now;
      this.#probes += 1;
    }
    this.#passes += 1;
    return { isProbe: this.#isOpen, change: this.#changes, number: this.#passes };
  }

  /** @returns whether it opened or closed. */
  settle({ isProbe, change, number }: Pass, verdict: Verdict, caller: Caller, now: number): boolean {
    if (verdict === 'answers') this.#lastAnswered = Math.max(this.#lastAnswered, number);
    if (change !== this.#changes) return false;
    if (isProbe) this.#probes -= 1;
    if (verdict === null) return false;
    if (verdict !== 'answers' && verdict.kind === 'timeout' && number < this.#lastAnswered) return false;
    if (isProbe) return verdict === 'answers' && this.#change(false, now);
    this.#window.add(verdict !== 'answers', isNobodys(verdict) ? null : caller, now);
    return verdict !== 'answers' && this.#isTooMuch(now) && this.#change(true, now);
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

/** A failed connection is never the fault of a request. */
function isNobodys(verdict: 'answers' | CountedFailure): boolean {
  return verdict !== 'answers' && verdict.kind === 'unreachable';
}
