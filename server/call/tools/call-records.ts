/** Writes call records in batches, off the request path. */

import type { CallRecord } from '../../base/store/repositories/call-records.ts';

/** Accepts call records. */
interface CallRecorder {
  /** Queues a record. Never waits, never throws. */
  record(record: CallRecord): void;
  /** Writes the queued records. */
  flush(): Promise<void>;
  /** Stops the timer and writes the queued records once; records that fail then are lost and reported. */
  stop(): Promise<void>;
}

/** Options of the recorder of calls. */
export interface CallRecorderOptions {
  /** Writes a batch, such as `insertCallRecords` of the store. */
  readonly write: (records: readonly CallRecord[]) => Promise<void>;
  /** Longest time that a record waits before it is written, in milliseconds. Default 1000. */
  readonly intervalMs?: number | undefined;
  /** Records in one batch. A large batch costs less per record. Default 1000. */
  readonly batchSize?: number;
  /** Maximum of waiting records; beyond it, the oldest are dropped. Default 10,000. */
  readonly maxQueued?: number;
  /** Called when records were dropped (`lost` of them), or a batch failed and will be retried (`lost` 0). */
  readonly onProblem: (problem: { readonly lost: number; readonly error?: unknown }) => void;
}

/** Creates the recorder. Its timer does not keep the process alive. */
export function createCallRecorder(options: CallRecorderOptions): CallRecorder {
  const { write, intervalMs = 1000, batchSize = 1000, maxQueued = 10_000, onProblem } = options;
  let queue: CallRecord[] = [];
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const schedule = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void flush();
    }, intervalMs).unref();
  };

  const writeAll = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.slice(0, batchSize);
      queue = queue.slice(batch.length);
      try {
        await write(batch);
      } catch (error) {
        queue = [...batch, ...queue];
        if (queue.length > maxQueued) dropOldest();
        onProblem({ lost: 0, error });
        schedule();
        return;
      }
    }
  };

  const dropOldest = (): void => {
    // Drops a tenth at a time, so that a long outage of the store does not copy the queue with every call.
    const lost = queue.length - maxQueued + Math.floor(maxQueued / 10);
    queue = queue.slice(lost);
    onProblem({ lost });
  };

  const flush = (): Promise<void> => {
    writing = writing.then(writeAll);
    return writing;
  };

  return {
    record(record) {
      queue.push(record);
      if (queue.length > maxQueued) dropOldest();
      if (queue.length === batchSize) void flush();
      else schedule();
    },
    flush,
    async stop() {
      clearTimeout(timer);
      await flush();
      clearTimeout(timer);
      if (queue.length > 0) onProblem({ lost: queue.length });
      queue = [];
    },
  };
}
