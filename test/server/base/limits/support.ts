/** Limits of several gateways in one process, with a clock and a timer of their own. */

import { pino } from 'pino';
import type { SharedCounts } from '../../../../server/base/limits/counts.ts';
import { createSharedLimits, type RunningLimits } from '../../../../server/base/limits/index.ts';
import type { CountedUses } from '../../../../server/base/store/repositories/limits/rate-limits.ts';

/** Limits of gateways that share their counts. */
export interface Gateways {
  readonly limits: readonly RunningLimits[];
  /** The log lines of each, parsed. */
  readonly lines: readonly Record<string, unknown>[][];
  /** Has one gateway add its pending uses, as its timer does. */
  reconcile(index: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param counts of one gateway each.
 * @param now milliseconds since 1970.
 * @param options.timeoutMs how long a question may take.
 */
export function openGateways(
  counts: readonly SharedCounts[],
  now: () => number,
  options: { readonly timeoutMs?: number; readonly askFromShare?: number } = {},
): Gateways {
  const lines: Record<string, unknown>[][] = counts.map(() => []);
  const ticks: (() => Promise<void>)[] = [];
  const limits = counts.map((each, index) => {
    const log = pino({ level: 'info' }, { write: (line: string) => void lines[index]?.push(JSON.parse(line)) });
    const repeat = (work: () => Promise<void>) => {
      ticks.push(work);
      return () => {};
    };
    return createSharedLimits({ counts: each, log, now, repeat, ...options });
  });
  return {
    limits,
    lines,
    reconcile: async (index) => ticks[index]?.(),
    async close() {
      for (const each of limits) await each.close();
    },
  };
}

/** Shared counts that a test can break, and that count their requests. */
export interface TestCounts extends SharedCounts {
  asked: number;
  /** What happens to requests. */
  state: 'well' | 'refusing' | 'silent';
  /** Answers wait for this. Default: nothing. */
  until: Promise<void>;
}

/** Counts in this process. @param now milliseconds since 1970. */
export function createTestCounts(now: () => number): TestCounts {
  const windows = new Map<string, { uses: number; endsAt: number }>();
  const answer = async <Answer>(work: () => Answer): Promise<Answer> => {
    counts.asked += 1;
    if (counts.state === 'refusing') throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    if (counts.state === 'silent') await new Promise(() => {});
    await counts.until;
    return work();
  };
  const counts: TestCounts = {
    asked: 0,
    state: 'well',
    until: Promise.resolve(),
    add: (all) =>
      answer(() => {
        const counted = all.map(({ key, uses, leftMs }): [string, CountedUses] => {
          const held = windows.get(key);
          const window = held !== undefined && held.endsAt > now() ? held : { uses: 0, endsAt: now() + leftMs };
          window.uses = Math.max(0, window.uses + uses);
          windows.set(key, window);
          return [key, { uses: window.uses, leftMs: window.endsAt - now() }];
        });
        return new Map(counted);
      }),
    ping: () => answer(() => {}),
    close: async () => {},
  };
  return counts;
}
