/** A limiter whose counts all gateways share. */

import { type ForgivingRateLimiter, type Reservation, secondsUntil, type Window, Windows } from '../rate-limiter.ts';
import type { CountedUses, Uses } from '../store/repositories/limits/rate-limits.ts';
import type { GuardedCounts } from './shared-counts.ts';

/** A rate limit. */
export interface RateRule {
  /** Unique among the limits of the gateway. */
  readonly name: string;
  /** Uses of one key that a window allows. */
  readonly points: number;
  readonly durationSeconds: number;
}

/** A window as this gateway knows it. `used` is the last known shared count, plus the local uses since. */
interface SharedWindow extends Window {
  /** The part of `used` that is not in the shared count yet. Negative: uses to take back. */
  pending: number;
  /** Uses that were counted and given back. The next uses take these first; the rest is taken back. */
  spare: number;
  /** Until then, a key over its limit is refused without a round trip. */
  refusedUntil: number;
}

/** Uses on their way to the shared count. */
interface PendingUses extends Uses {
  /** @param counted the window with these uses; null: they could not be added; undefined: not known. */
  settle(counted: CountedUses | null | undefined): void;
}

/** A limiter with uses to add to the shared count. */
export interface SharedLimiter extends ForgivingRateLimiter {
  /** Takes the uses that are not in the shared count; each must be settled. */
  takePending(): PendingUses[];
}

/** How a limiter shares its counts. */
interface Sharing {
  readonly counts: GuardedCounts;
  /** True: each use is added to the shared count first, so the limit is exact. False: uses are added later. */
  readonly exact: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const REFUSED_MS = 1_000;
/** Nothing is taken back from a window this close to its end: it might be taken from the next one. */
const NEARLY_OVER_MS = 1_500;

/** Creates a limiter. The caller must call `takePending` regularly. */
export function createSharedLimiter(rule: RateRule, { counts, exact, now }: Sharing): SharedLimiter {
  const { name, points } = rule;
  const windowMs = rule.durationSeconds * 1000;
  const windows = new Windows<SharedWindow>({
    create: (key) => ({ key, used: 0, endsAt: now() + windowMs, pending: 0, spare: 0, refusedUntil: 0 }),
    durationMs: windowMs,
    now,
  });
  const dirty = new Set<SharedWindow>();

  /** Adopts the shared count. @returns the window: a new one if the shared window has started again. */
  const adopt = (key: string, { uses, leftMs }: CountedUses): SharedWindow => {
    const endsAt = now() + Math.min(leftMs, windowMs);
    let window = windows.open(key);
    if (endsAt - window.endsAt > windowMs / 2 && window.used > window.pending) window = windows.begin(key);
    window.used = uses + window.pending;
    window.endsAt = endsAt;
    return window;
  };

  const countHere = (key: string): SharedWindow | number => {
    const window = windows.open(key);
    if (window.used >= points) return secondsUntil(window.endsAt, now());
    window.used += 1;
    window.pending += 1;
    dirty.add(window);
    return window;
  };

  const count = async (key: string): Promise<SharedWindow | number> => {
    const known = windows.find(key);
    if (known !== undefined && known.spare > 0) {
      known.spare -= 1;
      return known;
    }
    if (!exact || counts.isAway) return countHere(key);
    const refusedMs = known === undefined ? 0 : known.refusedUntil - now();
    // It is longer than `REFUSED_MS` if the clock was set back.
    if (known !== undefined && refusedMs > 0 && refusedMs <= REFUSED_MS) return secondsUntil(known.endsAt, now());
    const full = `${name}:${key}`;
    const counted = (await counts.add([{ key: full, uses: 1, windowMs, leftMs: windowMs }]))?.get(full);
    if (counted === undefined) return countHere(key);
    const window = adopt(key, counted);
    if (counted.uses <= points) return window;
    window.refusedUntil = Math.min(now() + REFUSED_MS, window.endsAt);
    return secondsUntil(window.endsAt, now());
  };

  const giveBack = (window: SharedWindow): void => {
    window.spare += 1;
    dirty.add(window);
  };

  return {
    async consume(key) {
      const counted = await count(key);
      return typeof counted === 'number' ? counted : null;
    },
    async reserve(key): Promise<Reservation> {
      const counted = await count(key);
      return typeof counted === 'number'
        ? { waitSeconds: counted }
        : { waitSeconds: null, giveBack: () => giveBack(counted) };
    },
    takePending() {
      const taken: PendingUses[] = [];
      for (const window of dirty) {
        window.used -= window.spare;
        const uses = window.pending - window.spare;
        window.pending = 0;
        window.spare = 0;
        const leftMs = window.endsAt - now();
        if (uses === 0 || leftMs <= (uses < 0 ? NEARLY_OVER_MS : 0)) continue;
        taken.push({
          key: `${name}:${window.key}`,
          uses,
          windowMs,
          leftMs,
          settle(counted) {
            if (windows.find(window.key) !== window || counted === undefined) return;
            if (counted !== null) adopt(window.key, counted);
            else {
              window.pending += uses;
              dirty.add(window);
            }
          },
        });
      }
      dirty.clear();
      return taken;
    },
  };
}
