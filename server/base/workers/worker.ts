/** A worker: one of the processes of a gateway that share its port, and the counts that its primary process keeps. */

import type { SharedCounts } from '../limits/counts.ts';
import { type Slots, waitForSlot } from '../limits/upstream-slots.ts';
import { withTimeout } from '../with-timeout.ts';
import { Channel, type CountsKind, type WorkerAnswer, type WorkerInfo } from './channel.ts';

/** The workers of a gateway, as one of them sees them. */
export interface Workers extends WorkerInfo {
  /** Counts and slots of all workers of this gateway. */
  readonly counts: (of: CountsKind) => SharedCounts;
  readonly slots: Slots;
  /** Tells all other workers. */
  readonly tell: (topic: string, news: unknown) => void;
  /** Hears what other workers tell. */
  readonly hear: (topic: string, listener: (news: unknown) => void) => void;
  /** Returns the answers of every worker, including this one. A worker that does not answer within a second is left out. Values are JSON. */
  readonly gather: (topic: string) => Promise<readonly WorkerAnswer[]>;
  /** Answers what workers gather. */
  readonly report: (topic: string, answer: () => Promise<unknown>) => void;
  /** Called once this worker listens. */
  readonly ready: () => void;
  /** Resolves when the gateway stops. */
  readonly stopping: Promise<void>;
}

const JOIN_TIMEOUT_MS = 10_000;

/**
 * Joins the workers of the gateway whose primary process started this one.
 *
 * @throws {Error} when the process that started this one is no primary of a gateway.
 */
export async function joinWorkers(): Promise<Workers> {
  const channel = new Channel(
    (messages) => void process.send?.(messages, undefined, undefined, () => {}),
    (hear) => process.on('message', hear),
  );
  const { promise: stopping, resolve: stop } = Promise.withResolvers<void>();
  const listeners = new Map<string, (news: unknown) => void>();
  const reports = new Map<string, () => Promise<unknown>>();
  channel.answer('stop', async () => {
    stop();
    return null;
  });
  channel.answer('tell', async ({ topic, news }) => {
    listeners.get(topic)?.(news);
    return null;
  });
  channel.answer('report', async (topic) => reports.get(topic)?.());
  const workerInfo = await withTimeout(channel.ask('join', null), JOIN_TIMEOUT_MS, () => {
    throw new Error('WORKERS needs a process of the gateway that starts them, and another program started this one');
  });
  return {
    ...workerInfo,
    counts: (kind) => ({
      add: async (uses) => new Map(await channel.ask('count', { of: kind, uses })),
      ping: async () => void (await channel.ask('count', { of: kind, uses: [] })),
      close: async () => {},
    }),
    slots: {
      async take(request) {
        const slot = await channel.ask('take', request);
        return slot === null ? null : async () => void (await channel.ask('release', slot));
      },
      wait: (_, signal) => waitForSlot(signal),
    },
    tell: (topic, news) => channel.tell('tell', { topic, news }),
    hear: (topic, listener) => void listeners.set(topic, listener),
    gather: (topic) => channel.ask('gather', topic),
    report: (topic, answer) => void reports.set(topic, answer),
    ready: () => channel.tell('ready', null),
    stopping,
  };
}
