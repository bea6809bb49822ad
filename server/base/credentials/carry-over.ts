/** Seals credentials with the key of their store in the background, after a gateway has given the store its first key. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CarryOver } from './store-key.ts';

/** Credentials between two lines in the log. */
const REPORTED_CREDENTIALS = 10_000;

/**
 * Starts the work. After each hundred credentials it pauses for as long as they took, so that requests have half of the time or more. If it
 * fails, the next start continues.
 *
 * @returns stops it, and resolves when it has stopped.
 */
export function startCarryOver(carryOver: CarryOver, log: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let lastReport = 0;
  let batchStart = performance.now();
  const onBatch = async (resealed: number): Promise<void> => {
    if (resealed - lastReport >= REPORTED_CREDENTIALS) {
      lastReport = resealed;
      log.info({ resealed }, 'sealing stored credentials with the key of the store');
    }
    await sleep(performance.now() - batchStart, undefined, { signal });
    batchStart = performance.now();
  };
  const finished = carryOver(onBatch).then(
    (resealed) => log.info({ resealed }, 'stored credentials are sealed with the key of the store'),
    (error: unknown) => {
      if (!signal.aborted) log.error({ err: error }, 'stored credentials wait for the next start to be sealed again');
    },
  );
  return () => {
    stopping.abort();
    return finished;
  };
}
