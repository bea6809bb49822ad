/** Tells modules of ended calls, in batches and off the request path. */

import type { CallAdditions, EndedCall, Interceptor } from './call/dependencies.ts';

/** Tells modules of the calls that have ended. */
export interface EndedCalls {
  /** Collects the calls. Undefined if no module listens to them. */
  readonly interceptor: Interceptor | undefined;
  /** Delivers the last batch, and waits until the modules have handled every batch. */
  stop(): Promise<void>;
}

/** Calls in one batch at most. The limit is low because they hold their arguments. */
const MAX_ENDED = 200;

/**
 * Delivers ended calls to the modules that listen to them, once the answers that are ready now were sent. A batch does not wait for a
 * timer as records do: a call holds its arguments and its answer, and a process that is killed must lose no more than the calls that
 * just ended. Telemetry does not listen here: it measures around a call, as an interceptor, so that a scrape right after a call has it.
 */
export function createEndedCalls(additions: readonly CallAdditions[], onError: (error: unknown) => void): EndedCalls {
  const listeners = additions.flatMap(({ onCallsEnded }) => onCallsEnded ?? []);
  let ended: EndedCall[] = [];
  let handled: Promise<void> = Promise.resolve();

  const deliver = (): void => {
    if (ended.length === 0) return;
    const batch = ended;
    ended = [];
    for (const onCallsEnded of listeners) {
      const done = (async () => onCallsEnded(batch))().catch(onError);
      handled = handled.then(() => done);
    }
  };

  const collect: Interceptor = async (call, next) => {
    const outcome = await next();
    if (ended.length === MAX_ENDED) deliver();
    if (ended.length === 0) setImmediate(deliver);
    ended.push({ call, ending: outcome });
    return outcome;
  };

  return {
    interceptor: listeners.length === 0 ? undefined : collect,
    stop() {
      deliver();
      return handled;
    },
  };
}
