/** Counts where answers differ from their output schemas, off the request path. */

import { type BackgroundTally, createBackgroundTally } from '../../base/background-tally.ts';
import type { AnyTool } from '../../call/tools/catalogue/permitted.ts';
import type { ErrorObject } from '../../call/tools/validate.ts';
import type { Connector } from '../../contract/index.ts';
import { describeDrift } from './describe.ts';
import type { DriftTally } from './tallies.ts';

/** Counts answers that differ. */
export interface DriftCounter extends Pick<BackgroundTally<DriftTally>, 'flush' | 'stop'> {
  /** Never waits, never throws. */
  count(connector: Connector, tool: AnyTool, problems: readonly ErrorObject[]): void;
}

const DAY_MS = 86_400_000;
/** Keys between two writes of a node. */
const MAX_KEYS = 2000;

/** @param options.now milliseconds since 1970. */
export function createDriftCounter(options: {
  readonly write: (rows: readonly DriftTally[]) => Promise<void>;
  readonly now: () => number;
  readonly onProblem: (problem: { readonly lost: number; readonly error?: unknown }) => void;
}): DriftCounter {
  const { now, ...rest } = options;
  const tally = createBackgroundTally({
    ...rest,
    maxKeys: MAX_KEYS,
    merge: (sum: DriftTally, more) => ({ ...sum, answers: sum.answers + more.answers }),
  });
  return {
    ...tally,
    count({ name: service }, { name: tool, outputSchema, provenance }, problems) {
      const at = now();
      const day = at - (at % DAY_MS);
      const definition = provenance?.definition ?? '';
      for (const { place, keyword, found } of describeDrift(outputSchema, problems)) {
        const key = [day, definition, tool, place, keyword, found].join('\t');
        tally.add({ key, day, service, tool, definition, place, keyword, found, answers: 1 });
      }
    },
  };
}
