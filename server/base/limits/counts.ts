/** Counts that all gateways share, and the fallback while they cannot be reached. */

import type { Logger } from 'pino';
import type { Store } from '../store/index.ts';
import { addUses, type CountedUses, type CountTable, type Uses } from '../store/repositories/limits/rate-limits.ts';
import { withTimeout } from '../with-timeout.ts';
import { type GuardedCounts, type Window, Windows } from './limiter.ts';

/** Counts uses by key. */
export interface UseCounts {
  /**
   * Adds uses.
   *
   * @param all no key twice.
   * @returns the windows after that; it may leave out keys whose uses were taken back. No promise if this process counts alone.
   */
  add(all: readonly Uses[]): ReadonlyMap<string, CountedUses> | Promise<ReadonlyMap<string, CountedUses>>;
}

/** Counts uses by key, over all gateways. */
export interface SharedCounts extends UseCounts {
  /** Resolves when the counts answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The part of a store that counts and upstream slots are kept in. */
export interface CountsStore {
  readonly db: Store['db'];
  readonly dialect: Store['dialect'];
  /** Resolves when the database answers. */
  readonly ping: Store['ping'];
}

/** Counts in a database that several gateways share. @param now milliseconds since 1970. */
export function createStoreCounts({ db, ping }: CountsStore, now: () => number, table?: CountTable): SharedCounts {
  return { add: (all) => addUses(db, all, now(), table), ping, close: async () => {} };
}

/** Counts of this process alone, in the form of shared ones. @param now milliseconds since 1970. */
export function createLocalCounts(now: () => number): UseCounts {
  const byLength = new Map<number, Windows<Window>>();
  const beginLength = (durationMs: number): Windows<Window> => {
    const create = (key: string): Window => ({ key, used: 0, endsAt: now() + durationMs });
    const windows = new Windows({ create, durationMs, now });
    byLength.set(durationMs, windows);
    return windows;
  };
  return {
    add(all) {
      const counted = new Map<string, CountedUses>();
      for (const { key, uses, windowMs, leftMs } of all) {
        const windows = byLength.get(windowMs) ?? beginLength(windowMs);
        const existing = windows.find(key);
        if (existing === undefined && uses < 0) continue;
        const window = existing ?? windows.begin(key);
        if (existing === undefined) window.endsAt = now() + leftMs;
        window.used = Math.max(0, window.used + uses);
        counted.set(key, { uses: window.used, leftMs: window.endsAt - now() });
      }
      return counted;
    },
  };
}

/** Longer than a healthy store takes, and short enough for a sign-in that waits. */
const ANSWER_TIMEOUT_MS = 2_000;

/**
 * Guards shared counts. The first request without an answer begins an outage, and a probe with an answer ends it; both
 * are logged.
 *
 * @param options.now milliseconds since 1970. @param options.timeoutMs default: 2 s.
 */
export function guardCounts(
  counts: SharedCounts,
  options: { readonly log: Logger; readonly now: () => number; readonly timeoutMs?: number },
): GuardedCounts {
  const { log, now, timeoutMs = ANSWER_TIMEOUT_MS } = options;
  let outageSince: number | null = null;
  const ask = async <Answer>(question: Promise<Answer>): Promise<Answer | null> => {
    try {
      return await withTimeout(question, timeoutMs);
    } catch (error) {
      if (outageSince === null) {
        log.warn({ err: error }, 'limits are counted by this gateway alone until their store answers');
      }
      outageSince ??= now();
      return null;
    }
  };
  return {
    get isAway() {
      return outageSince !== null;
    },
    add: (all) => ask(Promise.resolve(counts.add(all))),
    async probe() {
      const since = outageSince;
      if (since === null || (await ask(counts.ping().then(() => true))) === null) return;
      outageSince = null;
      log.info({ seconds: Math.round((now() - since) / 1000) }, 'limits are counted over all gateways again');
    },
  };
}
