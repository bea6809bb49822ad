/** Whether the upstream executed a call, judged by its ending: yes, no, or unknown. */

import type { Call } from '../call.ts';
import type { Ending } from '../ending.ts';

/** `done`: a repeated call gets this ending. `free`: nothing changed, so it may be made again. `unknown`: either. */
export type Fate = 'done' | 'free' | 'unknown';

/**
 * Statuses with which an upstream rejects a whole request (RFC 9110 §15.5; 423, 428, 429, 431 and 451 by their own
 * RFCs).
 *
 * Excludes 408, which proxies send when the upstream was too slow, 424 and 207, where a part was done, and unregistered
 * statuses.
 */
const REFUSING = new Set([
  400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 425, 426, 428,
  429, 431, 451,
]);

/** The fate of a call with this ending. The table in docs/reference/tools.md says the same. */
export function fateOf({ mayHaveActed }: Pick<Call, 'mayHaveActed'>, ending: Ending): Fate {
  if (ending.outcome === 'ok') return 'done';
  if (!mayHaveActed) return 'free';
  if (ending.outcome === 'result_too_large') return 'done';
  const { upstreamStatus: status } = ending;
  if (status !== null && REFUSING.has(status)) return 'free';
  // Only a 503 with `Retry-After` is the upstream's own: a proxy's 503 may follow a request that reached the upstream.
  return status === 503 && ending.error.retryAfterSeconds !== null ? 'free' : 'unknown';
}
