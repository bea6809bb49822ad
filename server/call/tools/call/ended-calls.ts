/** Tells modules of ended calls, in batches and off the request path. */

import type { CallListener, EndedCall, Interceptor } from './dependencies.ts';

/** Tells modules of the calls that have ended. */
export interface EndedCalls {
  /** Returns the interceptors that run around every call, or none if no module listens. Called once, on the first call. */
  interceptors(): readonly Interceptor[];
  /** Delivers the last batch, and waits until the modules have handled every batch. */
  stop(): Promise<void>;
}

/** Calls in one batch at most. The limit is low because they hold their arguments. */
const MAX_ENDED = 200;

/**
 * Delivers ended calls to the modules that listen to them, once the answers that are ready now were sent. A batch does not wait for a
 * timer as records do: a call holds its arguments and its answer, and a process that is killed must lose no more than the calls that
 * just ended. Telemetry does not listen here: it measures around a call, as an interceptor, so that a scrape right after a call has it.
 *
 * @param modules may grow until the first call.
 */
export function createEndedCalls(modules: readonly CallListener[], onError: (error: unknown) => void): EndedCalls {
  let ended: EndedCall[] = [];
  let handled: Promise<void> = Promise.resolve();

  const deliver = (): void => {
    if (ended.length === 0) return;
    const batch = ended;
    ended = [];
    for (const { onCallsEnded } of modules) {
      if (onCallsEnded === undefined) continue;
      const done = (async () => onCallsEnded(batch))().catch(onError);
      handled = handled.then(() => done);
    }
  };

  const collect: Interceptor = async (call, next) => {
    const ending = await next();
    if (ended.length === MAX_ENDED) deliver();
    if (ended.length === 0) setImmediate(deliver);
    ended.push({ call, ending });
    return ending;
  };

  return {
    interceptors: () => (modules.some(({ onCallsEnded }) => onCallsEnded !== undefined) ? [collect] : []),
    stop() {
      deliver();
      return handled;
    },
  };
}
