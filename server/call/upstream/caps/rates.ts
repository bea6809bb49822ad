/** Counts requests per period, of one process or of all gateways. */

import { CompiledQuery } from 'kysely';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Executor } from '../../../base/store/schema.ts';
import type { Caps } from '../../../contract/index.ts';

type Rate = NonNullable<Caps['rate']>;

/** Counts requests per connection. */
export interface Rates {
  /** Counts one. @returns 0 when it may be sent, else milliseconds until it is worth asking again. */
  consume(connectionId: string, rate: Rate): Promise<number>;
}

/** How many windows a rate is divided into: fewer allow longer bursts, more lower the rate. */
const PARTS = 4;

/** A window that ends later than possible was opened by a gateway whose clock is ahead; it starts again. */
const CLOCK_TOLERANCE_MS = 2_000;

/**
 * The window in which requests are counted, shorter than that of the rate: windows begin with their first request, and any period of
 * `seconds` overlaps at most one more of them than fit into it. So no period holds more than `requests`, wherever it begins.
 */
export function toWindow({ requests, seconds }: Rate): { readonly points: number; readonly seconds: number } {
  const parts = Math.min(PARTS, requests - 1);
  return parts === 0
    ? { points: 1, seconds }
    : { points: Math.floor(requests / (parts + 1)), seconds: Math.ceil((seconds * 1000) / parts) / 1000 };
}

/** Rates of this process alone. */
export function createLocalRates(): Rates {
  return createRates((window) => new RateLimiterMemory({ ...window, keyPrefix: '' }));
}

/** Rates of all gateways that share the database, which is PostgreSQL. */
export function createSharedRates(db: Executor): Rates {
  const storeClient = {
    query: ({ text, values }: { text: string; values: readonly unknown[] }) =>
      db.executeQuery(CompiledQuery.raw(text, values.map(toInteger))),
  };
  return createRates(
    (window) =>
      new RateLimiterPostgres({
        ...window,
        storeClient,
        storeType: 'client',
        tableName: 'upstream_rates',
        tableCreated: true,
        clearExpiredByTimeout: false,
        keyPrefix: '',
      }),
  );
}

function toInteger(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value) : value;
}

function createRates(
  create: (window: { readonly points: number; readonly duration: number }) => RateLimiterAbstract,
): Rates {
  const limiters = new Map<string, { readonly limiter: RateLimiterAbstract; readonly windowMs: number }>();
  const limiterOf = (rate: Rate) => {
    const key = `${rate.requests}/${rate.seconds}`;
    const known = limiters.get(key);
    if (known !== undefined) return known;
    const { points, seconds } = toWindow(rate);
    const made = { limiter: create({ points, duration: seconds }), windowMs: seconds * 1000 };
    limiters.set(key, made);
    return made;
  };
  const consume = async (limiter: RateLimiterAbstract, connectionId: string): Promise<number> => {
    try {
      await limiter.consume(connectionId);
      return 0;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return Math.max(1, refusal.msBeforeNext);
    }
  };
  return {
    async consume(connectionId, rate) {
      const { limiter, windowMs } = limiterOf(rate);
      const wait = await consume(limiter, connectionId);
      if (wait <= windowMs + CLOCK_TOLERANCE_MS) return wait;
      await limiter.delete(connectionId);
      return consume(limiter, connectionId);
    },
  };
}
