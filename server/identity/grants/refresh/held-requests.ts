/** Requests on this node that wait until the successor of their refresh token is due. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { RefreshExchange } from './request.ts';

/** Resolves at that time, in milliseconds since 1970. @throws when the signal aborts before. */
export type WaitUntil = (
  time: number,
  options: { readonly now: number; readonly signal: AbortSignal },
) => Promise<void>;

interface HeldRequests {
  /**
   * Waits until the successor is due, then calls `issue` with the number of this exchange's requests that are still connected.
   *
   * The wait never exceeds `holdMs`, whatever the clock of the node that opened the exchange says.
   *
   * @returns undefined when the client disconnected; nothing was issued for it.
   */
  hold<Answer>(
    exchange: RefreshExchange,
    options: { readonly now: number; readonly holdMs: number; readonly signal: AbortSignal },
    issue: (requests: number) => Promise<Answer>,
  ): Promise<Answer | undefined>;
}

export const waitUntil: WaitUntil = (time, { now, signal }) => sleep(time - now, undefined, { signal });

/** Creates the waiting room. Requests beyond `max` do not wait. */
export function createHeldRequests(room: { readonly max: number; readonly waitUntil: WaitUntil }): HeldRequests {
  const present = new Map<string, number>();
  let waiting = 0;

  async function wait(time: number, options: { readonly now: number; readonly signal: AbortSignal }): Promise<boolean> {
    if (options.signal.aborted) return false;
    if (time <= options.now || waiting >= room.max) return true;
    waiting += 1;
    try {
      await room.waitUntil(time, options);
      return true;
    } catch (error) {
      if (!options.signal.aborted) throw error;
      return false;
    } finally {
      waiting -= 1;
    }
  }

  return {
    async hold({ tokenId, issuesAt }, { now, holdMs, signal }, issue) {
      present.set(tokenId, (present.get(tokenId) ?? 0) + 1);
      try {
        if (!(await wait(Math.min(issuesAt, now + holdMs), { now, signal }))) return undefined;
        return await issue(present.get(tokenId) ?? 1);
      } finally {
        const remaining = (present.get(tokenId) ?? 1) - 1;
        if (remaining === 0) present.delete(tokenId);
        else present.set(tokenId, remaining);
      }
    },
  };
}
