/** Checks whether the gateways can share their counts for rate limits. */

import { createClient } from '@redis/client';
import type { Config } from '../../server/config/index.ts';
import { ok, type Seen, warning } from './finding.ts';

const CONNECT_TIMEOUT_MS = 5_000;

/** Asks the server that `LIMITS_REDIS_URL` names; empty if there is none. */
export async function checkLimits({ limitsRedisUrl: url }: Config): Promise<Seen[]> {
  if (url === null) return [];
  const socket = {
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: CONNECT_TIMEOUT_MS,
    reconnectStrategy: false,
  } as const;
  const client = createClient({ url, socket });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.ping();
    return [ok('the server of LIMITS_REDIS_URL answers')];
  } catch {
    return [
      warning(
        'the server of LIMITS_REDIS_URL does not answer, so each gateway counts limits alone',
        'correct LIMITS_REDIS_URL with its password and number of a database, or start the server',
      ),
    ];
  } finally {
    client.destroy();
  }
}
