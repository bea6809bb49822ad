/** Waits for a time, or for what may never answer. */

import { setTimeout as delay } from 'node:timers/promises';

/** Waits, and rejects when the signal aborts. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal });
}

/** `waitFor`, or what a test has in its place. */
export type Wait = typeof waitFor;

/**
 * Resolves with the value of a promise, if it comes in time. The promise itself continues.
 *
 * @param onTimeout what there is instead; it may throw. Default: it throws a `TimeoutError`.
 * @param signal its abort ends the time. Default: only the clock does.
 * @throws what the promise rejects with, or `onTimeout` throws.
 */
export async function withTimeout<Value, Late = never>(
  promise: Promise<Value>,
  ms: number,
  onTimeout: () => Late = () => {
    throw new TimeoutError(ms);
  },
  signal?: AbortSignal,
): Promise<Value | Late> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const timer = setTimeout(end, ms);
  if (signal?.aborted === true) end();
  signal?.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([promise, timeout.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

/** There was no answer in time. */
class TimeoutError extends Error {
  override readonly name = 'TimeoutError';

  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
  }
}
