/** Slots for concurrent requests, of one process or of all gateways. */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { releaseSlot, takeSlot } from '../../../base/store/repositories/upstream/upstream-slots.ts';
import type { Executor } from '../../../base/store/schema.ts';

interface SlotRequest {
  readonly connectionId: string;
  readonly count: number;
  /** When the slot expires, even if this process crashes; milliseconds since 1970. */
  readonly until: number;
}

/** Gives a slot back. */
export type GiveBack = () => Promise<void>;

/** Keeps the slots of connections. At most one caller waits for each connection. */
export interface Slots {
  /** @returns a function that gives the slot back, or null when none is free. */
  take(request: SlotRequest): GiveBack | null | Promise<GiveBack | null>;
  /** Resolves when it is worth trying again, or when the signal aborts. */
  wait(connectionId: string, signal: AbortSignal): Promise<void>;
}

/** Slots of this process alone. */
export function createLocalSlots(): Slots {
  const held = new Map<string, number>();
  const waiting = new Map<string, () => void>();
  return {
    take({ connectionId, count }) {
      const taken = held.get(connectionId) ?? 0;
      if (taken >= count) return null;
      held.set(connectionId, taken + 1);
      return async () => {
        const left = (held.get(connectionId) ?? 1) - 1;
        if (left === 0) held.delete(connectionId);
        else held.set(connectionId, left);
        waiting.get(connectionId)?.();
      };
    },
    wait: (connectionId, signal) =>
      new Promise((resolve) => {
        const end = () => {
          waiting.delete(connectionId);
          signal.removeEventListener('abort', end);
          resolve();
        };
        waiting.set(connectionId, end);
        if (signal.aborted) end();
        else signal.addEventListener('abort', end, { once: true });
      }),
  };
}

/** Between two tries of one gateway. All gateways wait equally long, so none is ahead of the others for long. */
const MIN_POLL_MS = 15;
const MAX_POLL_MS = 45;

/** Slots of all gateways that share the database. @param now milliseconds since 1970. */
export function createSharedSlots(db: Executor, now: () => number): Slots {
  return {
    async take({ connectionId, count, until }) {
      const slot = await takeSlot(db, { connectionId, count, holder: randomUUID(), now: now(), until });
      return slot === null ? null : () => releaseSlot(db, slot);
    },
    async wait(_, signal) {
      await delay(MIN_POLL_MS + Math.random() * (MAX_POLL_MS - MIN_POLL_MS), undefined, { signal }).catch(() => {});
    },
  };
}
