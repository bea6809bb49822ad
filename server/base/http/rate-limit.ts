/** Limits how often a route is called, per key. */

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
    await countUse(limiter, keyOf(ctx as GatewayContext));
    await next();
  };
}

/** Counts one use. @throws {RequestError} `too_many_requests`, status 429 with `Retry-After`, when the limit is exceeded. */
export async function countUse(limiter: RateLimiter, key: string): Promise<void> {
  const waitSeconds = await limiter.consume(key);
  if (waitSeconds !== null) throw tooManyRequests(waitSeconds);
}

/** The refusal: status 429 with `Retry-After`. */
export function tooManyRequests(waitSeconds: number): RequestError {
  return new RequestError(429, 'too_many_requests', `Too many requests. Try again in ${waitSeconds} seconds.`, {
    headers: { 'Retry-After': String(waitSeconds) },
  });
}
