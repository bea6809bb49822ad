/** Waiting for what may never answer. */

/**
 * Resolves with the value of a promise, if it comes in time. The promise itself continues.
 *
 * @param onTimeout what there is instead; it may throw. Default: it throws a `TimeoutError`.
 * @throws what the promise rejects with, or `onTimeout` throws.
 */
export async function withTimeout<Value, Late = never>(
  promise: Promise<Value>,
  ms: number,
  onTimeout: () => Late = () => {
    throw new TimeoutError(ms);
  },
): Promise<Value | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([promise, timeout.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}

/** There was no answer in time. */
class TimeoutError extends Error {
  override readonly name = 'TimeoutError';

  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
  }
}
