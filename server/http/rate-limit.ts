/** Limits how often something may be done, per key, on this gateway. */

import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { RequestError } from './errors.ts';
import type { GatewayContext, GatewayMiddleware } from './state.ts';

/** Counts per key. Counts live in memory: each gateway process allows the full rate, and a restart forgets. */
export interface RateLimiter {
  /** Counts one use. @returns seconds until the next one is allowed, or null when this one is. */
  consume(key: string): Promise<number | null>;
}

/** Creates a limiter of `points` uses per key in a window of `durationSeconds` that begins with the first. */
export function createRateLimiter(options: { points: number; durationSeconds: number }): RateLimiter {
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
  };
}

/**
 * Limits a route.
 *
 * @throws {RequestError} `too_many_requests`, status 429 with `Retry-After`.
 */
export function rateLimit(limiter: RateLimiter, keyOf: (ctx: GatewayContext) => string): GatewayMiddleware {
  return async (ctx, next) => {
    const waitSeconds = await limiter.consume(keyOf(ctx as GatewayContext));
    if (waitSeconds !== null) {
      throw new RequestError(429, 'too_many_requests', `Too many requests. Try again in ${waitSeconds} seconds.`, {
        headers: { 'Retry-After': String(waitSeconds) },
      });
    }
    await next();
  };
}
