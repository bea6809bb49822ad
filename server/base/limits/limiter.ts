/** Counts how often something is done, per key: in this process, or over all gateways that share counts. */

import type { CountedUses, Uses } from '../store/repositories/limits/rate-limits.ts';

/** Counts uses per key in windows that begin with the first. */
export interface RateLimiter {
  /** Counts one use. @returns seconds until the next one is allowed, or null when this one is. */
  consume(key: string): Promise<number | null>;
}

/** A use that was counted and can be taken back once, or a use that was refused. */
export type Reservation = { readonly waitSeconds: null; giveBack(): void } | { readonly waitSeconds: number };

/** A limiter whose uses can be taken back. */
export interface ForgivingRateLimiter extends RateLimiter {
  /** Counts one use, as `consume` does. */
  reserve(key: string): Promise<Reservation>;
}

/** A rate limit. */
export interface RateRule {
  /** Unique among the limits of the gateway. */
  readonly name: string;
  /** Uses of one key that a window allows. */
  readonly points: number;
  readonly durationSeconds: number;
}

/** A window as this gateway knows it. `used` is the last known shared count, plus the local uses since. */
interface CountedWindow extends Window {
  /** The part of `used` that is not in the shared count yet. Negative: uses to take back. */
  pending: number;
  /** Uses that were counted and given back. The next uses take these first; the rest is taken back. */
  spare: number;
  /** Until then, a key over its limit is refused without a round trip. */
  refusedUntil: number;
}

/** Uses on their way to the shared count. */
interface PendingUses extends Uses {
  /** @param counted the window with these uses; null if they could not be added, undefined if that is not known. */
  settle(counted: CountedUses | null | undefined): void;
}

/** Shared counts that are not used during an outage. */
export interface GuardedCounts {
  /** True during an outage. */
  readonly isAway: boolean;
  /** @returns null if the counts do not answer. */
  add(all: readonly Uses[]): Promise<ReadonlyMap<string, CountedUses> | null>;
  /**
   * During an outage, checks whether the counts answer again. Nothing else ends an outage, so that many short outages do not fill the log.
   */
  probe(): Promise<void>;
}

/** The counts of a limiter. */
interface Counting {
  /** Null if this process counts alone. */
  readonly counts: GuardedCounts | null;
  /**
   * Uses of a window after which each further one is added to the shared count first; earlier ones are added later. 0: the limit is exact.
   */
  readonly askFrom: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const REFUSED_MS = 1_000;
/** Nothing is taken back from a window this close to its end: it might be taken from the next one. */
const NEARLY_OVER_MS = 1_500;

/** A limiter. With shared counts, its creator must call `takePending` regularly. */
export class CountingLimiter implements ForgivingRateLimiter {
  readonly #rule: RateRule;
  readonly #windowMs: number;
  readonly #counting: Counting;
  readonly #windows: Windows<CountedWindow>;
  readonly #dirty = new Set<CountedWindow>();

  constructor(rule: RateRule, counting: Counting) {
    const { now } = counting;
    const durationMs = rule.durationSeconds * 1000;
    this.#rule = rule;
    this.#windowMs = durationMs;
    this.#counting = counting;
    this.#windows = new Windows({
      create: (key) => ({ key, used: 0, endsAt: now() + durationMs, pending: 0, spare: 0, refusedUntil: 0 }),
      durationMs,
      now,
    });
  }

  async consume(key: string): Promise<number | null> {
    const counted = await this.#count(key);
    return typeof counted === 'number' ? counted : null;
  }

  async reserve(key: string): Promise<Reservation> {
    const counted = await this.#count(key);
    if (typeof counted === 'number') return { waitSeconds: counted };
    return { waitSeconds: null, giveBack: () => this.#giveBack(counted) };
  }

  /** Takes the uses that are not in the shared count; each must be settled. */
  takePending(): PendingUses[] {
    const pendingUses: PendingUses[] = [];
    for (const window of this.#dirty) {
      window.used -= window.spare;
      const uses = window.pending - window.spare;
      window.pending = 0;
      window.spare = 0;
      const leftMs = window.endsAt - this.#counting.now();
      if (uses === 0 || leftMs <= (uses < 0 ? NEARLY_OVER_MS : 0)) continue;
      const settle: PendingUses['settle'] = (counted) => this.#settle(window, uses, counted);
      pendingUses.push({ key: this.#fullKeyOf(window.key), uses, windowMs: this.#windowMs, leftMs, settle });
    }
    this.#dirty.clear();
    return pendingUses;
  }

  /** @returns the window of a use that was counted, or the seconds to wait. */
  #count(key: string): CountedWindow | number | Promise<CountedWindow | number> {
    const { counts, askFrom, now } = this.#counting;
    if (counts === null) return this.#countHere(key);
    const existing = this.#windows.find(key);
    if (existing !== undefined && existing.spare > 0) {
      existing.spare -= 1;
      return existing;
    }
    if (counts.isAway || (existing?.used ?? 0) < askFrom) return this.#countHere(key);
    const refusedMs = existing === undefined ? 0 : existing.refusedUntil - now();
    // It is longer than `REFUSED_MS` if the clock was set back.
    if (existing !== undefined && refusedMs > 0 && refusedMs <= REFUSED_MS) return secondsUntil(existing.endsAt, now());
    return this.#countEverywhere(key, counts);
  }

  #countHere(key: string): CountedWindow | number {
    const window = this.#windows.open(key);
    if (window.used >= this.#rule.points) return secondsUntil(window.endsAt, this.#counting.now());
    window.used += 1;
    if (this.#counting.counts === null) return window;
    window.pending += 1;
    this.#dirty.add(window);
    return window;
  }

  async #countEverywhere(key: string, counts: GuardedCounts): Promise<CountedWindow | number> {
    const full = this.#fullKeyOf(key);
    const uses: Uses = { key: full, uses: 1, windowMs: this.#windowMs, leftMs: this.#windowMs };
    const counted = (await counts.add([uses]))?.get(full);
    if (counted === undefined) return this.#countHere(key);
    const window = this.#adopt(key, counted);
    if (window.used <= this.#rule.points) return window;
    const now = this.#counting.now();
    window.refusedUntil = Math.min(now + REFUSED_MS, window.endsAt);
    return secondsUntil(window.endsAt, now);
  }

  /** Adopts the shared count. @returns the window: a new one if the shared window has started again. */
  #adopt(key: string, { uses, leftMs }: CountedUses): CountedWindow {
    const endsAt = this.#counting.now() + Math.min(leftMs, this.#windowMs);
    const current = this.#windows.open(key);
    // Clocks and round trips move the end of a window by less than half of its length. A later end is that of the next window.
    const hasRestarted = endsAt - current.endsAt > this.#windowMs / 2;
    // If all uses of this window are still pending, the shared count has none of them. Then the window is kept, because they are added to
    // the shared window that runs now.
    const hasSharedUses = current.used > current.pending;
    const window = hasRestarted && hasSharedUses ? this.#windows.begin(key) : current;
    window.used = uses + window.pending;
    window.endsAt = endsAt;
    return window;
  }

  #settle(window: CountedWindow, uses: number, counted: CountedUses | null | undefined): void {
    if (this.#windows.find(window.key) !== window || counted === undefined) return;
    if (counted !== null) {
      this.#adopt(window.key, counted);
      return;
    }
    window.pending += uses;
    this.#dirty.add(window);
  }

  #giveBack(window: CountedWindow): void {
    if (this.#counting.counts === null) {
      window.used -= 1;
      return;
    }
    window.spare += 1;
    this.#dirty.add(window);
  }

  #fullKeyOf(key: string): string {
    return `${this.#rule.name}:${key}`;
  }
}

/** Whole seconds until a window is over, at least one. */
function secondsUntil(endsAt: number, now: number): number {
  return Math.max(1, Math.ceil((endsAt - now) / 1000));
}

/** A rate limit of one process. */
interface LocalRateRule {
  /** Uses of one key that a window allows. */
  readonly points: number;
  readonly durationSeconds: number;
  /** Default: none, because no other process counts it. */
  readonly name?: string;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
}

/** Creates a limiter of this process. A restart clears it. */
export function createRateLimiter({ now = () => Date.now(), name = '', ...rule }: LocalRateRule): ForgivingRateLimiter {
  return new CountingLimiter({ name, ...rule }, { counts: null, askFrom: Number.POSITIVE_INFINITY, now });
}

/** The uses of one key until `endsAt`. */
export interface Window {
  readonly key: string;
  /** As far as this process knows. */
  used: number;
  /** Milliseconds since 1970. */
  endsAt: number;
}

/** More keys than any gateway has users or clients in a minute; about 15 MB. */
const MAX_KEYS = 100_000;

interface WindowsOptions<W extends Window> {
  /** Creates a window that begins now. */
  readonly create: (key: string) => W;
  readonly durationMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Default: 100,000. */
  readonly maxKeys?: number;
}

/** Windows by their key. When there are too many, the oldest are dropped. */
export class Windows<W extends Window> {
  readonly #windows = new Map<string, W>();
  readonly #options: WindowsOptions<W>;

  constructor(options: WindowsOptions<W>) {
    this.#options = options;
  }

  /** Number of windows. Expired windows are dropped when others begin. */
  get size(): number {
    return this.#windows.size;
  }

  /** Returns the current window of a key. A window that seems to last more than twice its length is over: the clock was set back. */
  find(key: string): W | undefined {
    const window = this.#windows.get(key);
    if (window === undefined) return undefined;
    const leftMs = window.endsAt - this.#options.now();
    return leftMs > 0 && leftMs <= 2 * this.#options.durationMs ? window : undefined;
  }

  /** Returns the current window of a key, or a window that begins now. */
  open(key: string): W {
    return this.find(key) ?? this.begin(key);
  }

  /** Begins a window, in place of any current one. */
  begin(key: string): W {
    const { create, now, maxKeys = MAX_KEYS } = this.#options;
    this.#windows.delete(key);
    for (const [oldest, { endsAt }] of this.#windows) {
      if (endsAt > now() && this.#windows.size < maxKeys) break;
      this.#windows.delete(oldest);
    }
    const window = create(key);
    this.#windows.set(key, window);
    return window;
  }
}
