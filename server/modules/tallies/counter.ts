/** Counts calls, answers that differ from their descriptors, and calls by old names, off the request path. */

import { createBackgroundTally } from '../../base/background-tally.ts';
import { type CallCategory, callCategory } from '../../base/store/reports/call-category.ts';
import type { CallOutcome } from '../../call/tools/call/call-outcome.ts';
import type { EndedCall } from '../../call/tools/call/dependencies.ts';
import type { AnyTool } from '../../call/tools/catalogue/permitted.ts';
import type { ErrorObject } from '../../call/tools/validate.ts';
import type { Connector } from '../../contract/index.ts';
import { type ArgumentNode, readArgumentTree } from './argument-tree.ts';
import { describeDrift } from './describe.ts';
import { observe } from './observe.ts';
import type { Tally } from './table.ts';

/** Counts in the background. Calls do not wait for it and it never throws. Only `flush` and `stop` wait until the counts are written. */
export interface TallyCounter {
  countCalls(calls: readonly EndedCall[]): void;
  countDrift(connector: Connector, tool: AnyTool, problems: readonly ErrorObject[]): void;
  flush(): Promise<void>;
  stop(): Promise<void>;
}

interface TallyCounterOptions {
  readonly write: (tallies: readonly Tally[]) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** True if the arguments and the outcomes of calls are counted. */
  readonly countsUsage: boolean;
  readonly onProblem: (problem: { readonly lost: number; readonly error?: unknown }) => void;
}

const DAY_MS = 86_400_000;

export function createTallyCounter({ write, now, countsUsage, onProblem }: TallyCounterOptions): TallyCounter {
  const backgroundTally = createBackgroundTally<{ readonly key: string; readonly tally: Tally }>({
    write: (rows) => write(rows.map(({ tally }) => tally)),
    merge: (sum, more) => ({ ...sum, tally: { ...sum.tally, count: sum.tally.count + more.tally.count } }),
    onProblem,
  });
  const count = (at: number, kind: Tally['kind'], key: string): void => {
    const day = at - (at % DAY_MS);
    backgroundTally.add({ key: `${day}\t${kind}\t${key}`, tally: { day, kind, key, count: 1 } });
  };

  const argumentTrees = new WeakMap<AnyTool, ArgumentNode>();
  const countUsage = ({ call, ending }: EndedCall): void => {
    const { entry, clientArguments: args, calledAs, startedAt } = call;
    const argumentTree = argumentTrees.get(entry.tool) ?? readArgumentTree(entry.tool.inputSchema);
    argumentTrees.set(entry.tool, argumentTree);
    for (const facet of ['\tcalls', `\toutcome:${toOutcome(ending.outcome)}`, ...observe(argumentTree, args)]) {
      count(startedAt, 'usage', `${calledAs}\t${facet}`);
    }
  };

  return {
    countCalls(calls) {
      for (const ended of calls) {
        const { entry, startedAt } = ended.call;
        if (entry.alias !== undefined) count(startedAt, 'old_name', entry.alias.name);
        if (countsUsage) countUsage(ended);
      }
    },
    countDrift(_connector, { name, outputSchema }, problems) {
      for (const { pointer, actualType } of describeDrift(outputSchema, problems)) {
        count(now(), 'drift', `${name}\t${pointer}\t${actualType}`);
      }
    },
    flush: backgroundTally.flush,
    stop: backgroundTally.stop,
  };
}

/** Returns the outcome to count. `refused` means that the gateway sent nothing, because the arguments were wrong. */
function toOutcome(outcome: CallOutcome['outcome']): CallCategory | 'refused' {
  return outcome === 'invalid_arguments' ? 'refused' : callCategory(outcome);
}
