/** Closes what was opened, in the reverse order. */

import type { Logger } from 'pino';
import { withTimeout } from './base/with-timeout.ts';

/** Longest time for one part to close. */
const CLOSE_TIMEOUT_MS = 3_000;

/** The parts that are open. */
export interface Closing {
  /** Adds an open part. @param problem logged, with the reason, when it does not close in time or fails to. */
  add(problem: string, close: () => Promise<void>): void;
  /** Closes every part, the last one first. Never throws. */
  close(): Promise<void>;
}

/** Creates an empty list of parts. */
export function createClosing(log: Logger): Closing {
  const openResources: { readonly problem: string; readonly close: () => Promise<void> }[] = [];
  return {
    add: (problem, close) => void openResources.push({ problem, close }),
    async close() {
      for (let resource = openResources.pop(); resource !== undefined; resource = openResources.pop()) {
        await withTimeout(resource.close(), CLOSE_TIMEOUT_MS).catch((error: unknown) =>
          log.error({ err: error }, resource?.problem),
        );
      }
    },
  };
}
