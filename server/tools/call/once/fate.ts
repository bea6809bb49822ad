/** What an ending says about the upstream: whether the call was made, was surely not, or may have been. */

import type { Call } from '../call.ts';
import type { Ending } from '../ending.ts';

/** `done`: repeating the call gives this ending. `free`: nothing was changed, so that it may be made. `unknown`: no one knows. */
export type Fate = 'done' | 'free' | 'unknown';

/**
 * Statuses by which an upstream refuses a request as a whole (RFC 9110 §15.5; 423, 428, 429, 431 and 451 by their own).
 *
 * Without 408, which proxies send when the upstream was too slow, 424 and 207, where a part was done, and what is no status
 * of a registry.
 */
const REFUSING = new Set([
  400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 425, 426, 428,
  429, 431, 451,
]);

/** The fate of a call that ended so. The table of docs/reference/tools.md says the same. */
export function fateOf({ mayHaveActed }: Pick<Call, 'mayHaveActed'>, ending: Ending): Fate {
  if (ending.outcome === 'ok') return 'done';
  if (!mayHaveActed) return 'free';
  if (ending.outcome === 'result_too_large') return 'done';
  const { upstreamStatus: status } = ending;
  if (status !== null && REFUSING.has(status)) return 'free';
  // Only an upstream that says when to come back has refused for itself: a proxy's 503 may follow a request that arrived.
  return status === 503 && ending.error.retryAfterSeconds !== null ? 'free' : 'unknown';
}
