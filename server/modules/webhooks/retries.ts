/** When a failed delivery is tried again, and when it is given up. */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long deliveries are tried at an endpoint that accepts none. */
export const PATIENCE_MS = 24 * HOUR_MS;

/** After the first failure, the second, and so on; the last one repeats. */
const DELAYS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
];

/** A delay varies by up to this share, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

/**
 * When to try again, in milliseconds since 1970; null: never, because `PATIENCE_MS` is over. The last attempt comes at
 * its end.
 *
 * @param tried.attempts made so far, including the one that just failed.
 * @param tried.firstAt when the first began, in milliseconds since 1970.
 */
export function nextAttempt(
  tried: { attempts: number; firstAt: number; now: number },
  random: () => number = Math.random,
): number | null {
  const { attempts, firstAt, now } = tried;
  const endsAt = firstAt + PATIENCE_MS;
  if (now >= endsAt) return null;
  const delay = DELAYS_MS[Math.min(attempts, DELAYS_MS.length) - 1] ?? 0;
  return Math.min(endsAt, now + Math.round(delay * (1 + JITTER * (2 * random() - 1))));
}
