/** Limits how often a route may be asked for, per key. */

import type { RateLimiter } from '../rate-limiter.ts';
import { RequestError } from './errors.ts';
import type { GatewayContext, GatewayMiddleware } from './state.ts';

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
