/** Counts how often something is done, per key, in this process. */

/** Counts uses per key in windows that begin with the first. */
export interface RateLimiter {
  /** Counts one use. @returns seconds until the next one is allowed, or null when this one is. */
  consume(key: string): Promise<number | null>;
}

/** A use that was counted and can be taken back once, or one that was refused. */
export type Reservation = { readonly waitSeconds: null; giveBack(): void } | { readonly waitSeconds: number };

/** A limiter whose uses can be taken back. */
export interface ForgivingRateLimiter extends RateLimiter {
  /** Counts one use, as `consume` does. */
  reserve(key: string): Promise<Reservation>;
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

  /** The current window of a key. One that seems to last more than twice its length counts as over: the clock was set back. */
  find(key: string): W | undefined {
    const window = this.#windows.get(key);
    if (window === undefined) return undefined;
    const leftMs = window.endsAt - this.#options.now();
    return leftMs > 0 && leftMs <= 2 * this.#options.durationMs ? window : undefined;
  }

  /** The current window of a key, or one that begins now. */
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

/** Whole seconds until a window is over, at least one. */
export function secondsUntil(endsAt: number, now: number): number {
  return Math.max(1, Math.ceil((endsAt - now) / 1000));
}

/**
 * Creates a limiter of `points` uses per key in `durationSeconds`. A restart clears it.
 *
 * @param options.now milliseconds since 1970. Default: the system's clock.
 */
export function createRateLimiter(options: {
  readonly points: number;
  readonly durationSeconds: number;
  readonly now?: () => number;
}): ForgivingRateLimiter {
  const { points, durationSeconds, now = () => Date.now() } = options;
  const durationMs = durationSeconds * 1000;
  const create = (key: string): Window => ({ key, used: 0, endsAt: now() + durationMs });
  const windows = new Windows({ create, durationMs, now });
  const count = (key: string): Window | number => {
    const window = windows.open(key);
    if (window.used >= points) return secondsUntil(window.endsAt, now());
    window.used += 1;
    return window;
  };
  return {
    async consume(key) {
      const counted = count(key);
      return typeof counted === 'number' ? counted : null;
    },
    async reserve(key) {
      const counted = count(key);
      if (typeof counted === 'number') return { waitSeconds: counted };
      const giveBack = (): void => {
        counted.used -= 1;
      };
      return { waitSeconds: null, giveBack };
    },
  };
}
