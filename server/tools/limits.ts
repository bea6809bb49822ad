/** How many tools one user may call: servers MUST limit invocations (MCP, Tools, Security considerations). */

import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Counts a user's calls. */
export interface CallLimit {
  /** Takes one call. @returns null, or the seconds to wait when there are none left. */
  take(userId: string): Promise<number | null>;
}

/** Creates a limit of `calls` within any `seconds` that begin with a call. Counted in this process only. */
export function createCallLimit(options: { calls: number; seconds: number }): CallLimit {
  const limiter = new RateLimiterMemory({ points: options.calls, duration: options.seconds });
  return {
    async take(userId) {
      try {
        await limiter.consume(userId);
        return null;
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      }
    },
  };
}
