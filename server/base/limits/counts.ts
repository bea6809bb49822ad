/** Counts that all gateways share, and the fallback while they cannot be reached. */

import type { Logger } from 'pino';
import type { Store } from '../store/index.ts';
import { addUses, type CountedUses, type CountTable, type Uses } from '../store/repositories/limits/rate-limits.ts';

export type { CountedUses, Uses };

/** Counts uses by key, over all gateways. */
export interface SharedCounts {
  /**
   * Adds uses.
   *
   * @param all no key twice.
   * @returns the windows after that; it may leave out keys whose uses were taken back.
   */
  add(all: readonly Uses[]): Promise<ReadonlyMap<string, CountedUses>>;
  /** Resolves when the counts answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Counts in a database that several gateways share. @param now milliseconds since 1970. */
export function createStoreCounts(
  { db, ping }: Pick<Store, 'db' | 'ping'>,
  now: () => number,
  table?: CountTable,
): SharedCounts {
  return { add: (all) => addUses(db, all, now(), table), ping, close: async () => {} };
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

/** Counts of this process alone, in the form of shared ones. @param now milliseconds since 1970. */
export function createLocalCounts(now: () => number): Pick<SharedCounts, 'add'> {
  const byLength = new Map<number, Windows<Window>>();
  const windowsOf = (durationMs: number): Windows<Window> => {
    const create = (key: string): Window => ({ key, used: 0, endsAt: now() + durationMs });
    const windows = byLength.get(durationMs) ?? new Windows({ create, durationMs, now });
    byLength.set(durationMs, windows);
    return windows;
  };
  const addOne = ({ key, uses, windowMs }: Uses): [string, CountedUses] => {
    const window = windowsOf(windowMs).open(key);
    window.used += uses;
    return [key, { uses: window.used, leftMs: window.endsAt - now() }];
  };
  return { add: async (all) => new Map(all.map(addOne)) };
}

/** Shared counts that are not used during an outage. */
export interface GuardedCounts {
  /** True during an outage. */
  readonly isAway: boolean;
  /** @returns null if the counts do not answer. */
  add(all: readonly Uses[]): Promise<ReadonlyMap<string, CountedUses> | null>;
  /**
   * During an outage, checks whether the counts answer again. Only this ends an outage: short ones would fill the log.
   */
  probe(): Promise<void>;
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
  let awaySince: number | null = null;
  const ask = async <Answer>(question: Promise<Answer>): Promise<Answer | null> => {
    try {
      return await inTime(question, timeoutMs);
    } catch (error) {
      if (awaySince === null) {
        log.warn({ err: error }, 'limits are counted by this gateway alone until their store answers');
      }
      awaySince ??= now();
      return null;
    }
  };
  return {
    get isAway() {
      return awaySince !== null;
    },
    add: (all) => ask(counts.add(all)),
    async probe() {
      const since = awaySince;
      if (since === null || (await ask(counts.ping().then(() => true))) === null) return;
      awaySince = null;
      log.info({ seconds: Math.round((now() - since) / 1000) }, 'limits are counted over all gateways again');
    },
  };
}

async function inTime<Answer>(question: Promise<Answer>, ms: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([question, late]);
  } finally {
    clearTimeout(timer);
  }
}
