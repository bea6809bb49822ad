/** The processor time that the work of one user may take in a minute, at one process. */

import { type Window, Windows } from './limiter.ts';

const MINUTE_MS = 60_000;

/** The time that the work of a user is charged to. */
export interface WorkBudget {
  /** Adds the time that a piece of work took. @param ms milliseconds of one processor. */
  charge(userId: string, ms: number): void;
  /** Returns the seconds until the user may begin more work, at least 1, or undefined if that is now. */
  waitSeconds(userId: string): number | undefined;
  /** Returns the milliseconds charged to all users since the process began. */
  readonly chargedMs: number;
}

/**
 * Creates a budget. A minute begins with the first charge. Work that has begun is finished, so that a user may exceed the budget by one
 * piece of work.
 *
 * @param options.msPerMinute milliseconds of one processor. @param options.now milliseconds since 1970.
 */
export function createWorkBudget(options: { readonly msPerMinute: number; readonly now: () => number }): WorkBudget {
  const { msPerMinute, now } = options;
  const create = (key: string): Window => ({ key, used: 0, endsAt: now() + MINUTE_MS });
  const windows = new Windows({ create, durationMs: MINUTE_MS, now });
  let chargedMs = 0;
  return {
    charge(userId, ms) {
      windows.open(userId).used += ms;
      chargedMs += ms;
    },
    waitSeconds(userId) {
      const window = windows.find(userId);
      if (window === undefined || window.used < msPerMinute) return undefined;
      return Math.max(1, Math.ceil((window.endsAt - now()) / 1000));
    },
    get chargedMs() {
      return chargedMs;
    },
  };
}
