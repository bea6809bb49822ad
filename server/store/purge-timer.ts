/** Purges the store again and again while the gateway runs. */

import { eraseDeleted } from './erase.ts';
import type { Store } from './index.ts';
import { PURGE_INTERVAL_MS, purge, type RetentionRule } from './retention.ts';

/** What the timer works with. */
interface PurgeTimerOptions {
  readonly store: Pick<Store, 'db' | 'dialect'>;
  readonly rules: readonly RetentionRule[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Default: `PURGE_INTERVAL_MS`. */
  readonly intervalMs?: number;
  /** Called with what was removed, by table, when anything was. */
  readonly onPurged: (removed: Readonly<Record<string, number>>) => void;
  /** Called with why a purge failed; the next one tries again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Starts the timer, which does not keep the process alive. The first purge comes after one interval.
 *
 * @returns a function that stops it after the current batch.
 */
export function startPurging(options: PurgeTimerOptions): () => Promise<void> {
  const stopping = new AbortController();
  let purging: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    purging = purging.then(() => purgeOnce(options, stopping.signal));
  }, options.intervalMs ?? PURGE_INTERVAL_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await purging;
  };
}

/** Purges, and takes what was deleted since the last time off the disk. Never throws. */
export async function purgeOnce(options: PurgeTimerOptions, signal: AbortSignal): Promise<void> {
  try {
    const removed = await purge(options.store, options.rules, { now: options.now(), signal });
    await eraseDeleted(options.store.db);
    if (Object.values(removed).some((rows) => rows > 0)) options.onPurged(removed);
  } catch (error) {
    options.onError(error);
  }
}
