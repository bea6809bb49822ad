/** Counts that several gateways share in Redis, Valkey or a compatible server. Loaded only if the settings name one. */

import { createClient } from '@redis/client';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { CountedUses } from '../store/repositories/limits/rate-limits.ts';
import { withTimeout } from '../with-timeout.ts';
import type { SharedCounts } from './counts.ts';

const CONNECT_TIMEOUT_MS = 2_000;
/** A connection that leaves a command unanswered for this long is closed. */
const SILENCE_MS = 5_000;
const MAX_RECONNECT_WAIT_MS = 1_000;

const KEY_PREFIX = 'utg-limit';

/**
 * Returns true if the server answers.
 *
 * @param url see `openRedisCounts`.
 */
export async function answersPing(url: string): Promise<boolean> {
  const socket = { connectTimeout: SILENCE_MS, socketTimeout: SILENCE_MS, reconnectStrategy: false } as const;
  const client = createClient({ url, socket });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.ping();
    return true;
  } catch {
    return false;
  } finally {
    client.destroy();
  }
}

/**
 * Opens the counts. Waits at most two seconds for the server: the gateway starts without it, and keeps trying.
 *
 * @param url `redis://` or `rediss://`, with the database number as its path.
 */
export async function openRedisCounts(url: string): Promise<SharedCounts> {
  let problem: unknown;
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, MAX_RECONNECT_WAIT_MS),
    },
    pingInterval: SILENCE_MS / 2,
  });
  client.on('error', (error: unknown) => {
    problem = error;
  });
  // Its Lua script counts and reads the time left in one step, by the server's clock.
  const limiter = new RateLimiterRedis({
    storeClient: client,
    useRedisPackage: true,
    keyPrefix: KEY_PREFIX,
    points: Number.MAX_SAFE_INTEGER,
    duration: 1,
  });
  const connecting = client.connect().catch((error: unknown) => {
    problem = error;
  });
  await withTimeout(connecting, CONNECT_TIMEOUT_MS, () => {});

  const ask = async <Answer>(question: () => Promise<Answer>): Promise<Answer> => {
    if (!client.isReady) throw new Error('the server that LIMITS_REDIS_URL names does not answer', { cause: problem });
    return question();
  };
  return {
    add: (all) =>
      ask(async () => {
        // All commands go out in one write.
        const counted = await Promise.all(
          all.map(async ({ key, uses, leftMs }): Promise<[string, CountedUses]> => {
            const result = await limiter.penalty(key, uses, { customDuration: Math.ceil(leftMs / 1000) });
            return [key, { uses: result.consumedPoints, leftMs: result.msBeforeNext }];
          }),
        );
        return new Map(counted);
      }),
    ping: () => ask(async () => void (await client.ping())),
    async close() {
      if (client.isOpen) client.destroy();
    },
  };
}
