/** Rate limits of a gateway, counted by it alone or together with every gateway that shares its store. */

import type { Logger } from 'pino';
import { loadWithPeers } from '../optional-packages.ts';
import { type CountsStore, createStoreCounts, guardCounts, type SharedCounts } from './counts.ts';
import {
  CountingLimiter,
  createRateLimiter,
  type ForgivingRateLimiter,
  type GuardedCounts,
  type RateRule,
} from './limiter.ts';

/** Creates the limiters of a gateway. */
export interface Limits {
  /**
   * A limiter that is exact over all gateways. Each use costs one round trip, unless a use that was given back replaces
   * it. For guesses, sign-ins, and requests that create rows.
   */
  exact(rule: RateRule): ForgivingRateLimiter;
  /**
   * A limiter that counts locally and adds its counts to the shared ones once a second, so that no use waits. For calls
   * and pages: what the gateways let through in the second in which the limit is reached may exceed it.
   */
  reconciled(rule: RateRule): ForgivingRateLimiter;
}

/** The limits of a running gateway. */
export interface RunningLimits extends Limits {
  /** True while this gateway counts shared limits alone. */
  isAlone(): boolean;
  /** Adds the pending uses, then closes the counts. */
  close(): Promise<void>;
}

/** Limits that this process counts. @param now milliseconds since 1970. Default: the system's clock. */
export function createLocalLimits(now?: () => number): RunningLimits {
  const create = (rule: RateRule) => createRateLimiter({ ...rule, now });
  return { exact: create, reconciled: create, isAlone: () => false, close: async () => {} };
}

/** @throws {MissingPackagesError} if the client of Redis is not installed. */
export function loadRedis(): Promise<typeof import('./redis.ts')> {
  return loadWithPeers({ setting: 'LIMITS_REDIS_URL', scope: '@redis/' }, () => import('./redis.ts'));
}

/** Opens the limits of a gateway. It shares them when its store or the settings allow several gateways. */
export async function openLimits(options: {
  readonly store: CountsStore;
  /** See `openRedisCounts`. Null if the store keeps the counts. */
  readonly redisUrl: string | null;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The counts that the workers of one gateway share on SQLite, and the number of workers. Undefined for one process. */
  readonly ofWorkers?: { readonly counts: SharedCounts; readonly count: number } | undefined;
}): Promise<RunningLimits> {
  const { store, redisUrl, log, now, ofWorkers } = options;
  if (redisUrl !== null) {
    const { openRedisCounts } = await loadRedis();
    return createSharedLimits({ counts: await openRedisCounts(redisUrl), log, now });
  }
  if (store.dialect === 'postgres') return createSharedLimits({ counts: createStoreCounts(store, now), log, now });
  if (ofWorkers === undefined) return createLocalLimits(now);
  const repeat = (work: () => Promise<void>) => every(RECONCILE_WORKERS_EVERY_MS, work);
  return createSharedLimits({ counts: ofWorkers.counts, log, now, repeat, askFromShare: 1 / ofWorkers.count });
}

/** Dependencies of shared limits. */
interface SharedLimitsOptions {
  readonly counts: SharedCounts;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Timeout of a round trip to the counts. Default: that of `guardCounts`. */
  readonly timeoutMs?: number;
  /** Calls `work` repeatedly, and returns a function that stops it. Default: every second. */
  readonly repeat?: (work: () => Promise<void>) => () => void;
  /** The used share of a reconciled limit from which each further use asks the shared count first. Default: no use asks first. */
  readonly askFromShare?: number;
}

const RECONCILE_EVERY_MS = 1_000;
/** Asking the primary process costs less than asking a server. */
const RECONCILE_WORKERS_EVERY_MS = 100;

/** Creates limits for all gateways with the same counts. While the counts do not answer, each gateway counts alone. */
export function createSharedLimits(options: SharedLimitsOptions): RunningLimits {
  const { counts, repeat = everySecond, askFromShare = Number.POSITIVE_INFINITY } = options;
  const { now } = options;
  const guarded = guardCounts(counts, options);
  const limiters: CountingLimiter[] = [];
  let reconciling: Promise<void> | null = null;
  const reconcile = async (): Promise<void> => {
    reconciling ??= reconcileAll(limiters, guarded).finally(() => {
      reconciling = null;
    });
    await reconciling;
  };
  const stop = repeat(reconcile);
  const create = (rule: RateRule, askFrom: number): ForgivingRateLimiter => {
    const limiter = new CountingLimiter(rule, { counts: guarded, askFrom, now });
    limiters.push(limiter);
    return limiter;
  };
  return {
    exact: (rule) => create(rule, 0),
    reconciled: (rule) => create(rule, rule.points * askFromShare),
    isAlone: () => guarded.isAway,
    async close() {
      stop();
      await reconcile();
      await counts.close();
    },
  };
}

/** Adds the pending uses of all limiters, in one round trip. Never throws. */
async function reconcileAll(limiters: readonly CountingLimiter[], counts: GuardedCounts): Promise<void> {
  await counts.probe();
  const pending = limiters.flatMap((limiter) => limiter.takePending());
  if (pending.length === 0) return;
  const counted = counts.isAway ? null : await counts.add(pending);
  for (const each of pending) each.settle(counted === null ? null : counted.get(each.key));
}

const everySecond = (work: () => Promise<void>): (() => void) => every(RECONCILE_EVERY_MS, work);

function every(ms: number, work: () => Promise<void>): () => void {
  const timer = setInterval(work, ms);
  timer.unref();
  return () => clearInterval(timer);
}
