/** Counts how often something is done, per key, in this process. */

import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Counts per key. Counts live in memory: each gateway process allows the full rate, and a restart forgets. */
export interface RateLimiter {
  /** Counts one use. @returns seconds until the next one is allowed, or null when this one is. */
  consume(key: string): Promise<number | null>;
}

/** A limiter whose uses can be taken back. */
export interface ForgivingRateLimiter extends RateLimiter {
  /** Takes one use back, which was allowed. */
  giveBack(key: string): Promise<void>;
}

/** Creates a limiter of `points` uses per key in a window of `durationSeconds` that begins with the first. */
export function createRateLimiter(options: { points: number; durationSeconds: number }): ForgivingRateLimiter {
  const limiter = new RateLimiterMemory({ points: options.points, duration: options.durationSeconds });
  return {
    async consume(key) {
      try {
        await limiter.consume(key);
        return null;
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      }
    },
    async giveBack(key) {
      await limiter.reward(key);
    },
  };
}
