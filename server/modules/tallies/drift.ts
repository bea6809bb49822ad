/** Reads the places where answers differed from their descriptors. */

import type { Executor } from '../../base/store/schema.ts';
import type { Drift } from './describe.ts';
import { sumTallies } from './table.ts';

/** One difference, counted over several days. */
export interface DriftSum extends Drift {
  readonly tool: string;
  readonly answers: number;
  /** Start of the last day (UTC) on which it was seen. */
  readonly lastDay: number;
}

/**
 * Returns the differences, the most frequent first.
 *
 * @param span milliseconds since 1970. With `tool`, only the differences of that tool are returned.
 */
export async function listDrift(
  db: Executor,
  { since, until, tool }: { readonly since: number; readonly until: number; readonly tool?: string },
): Promise<DriftSum[]> {
  const sums = await sumTallies(db, 'drift', { since, until, prefix: tool === undefined ? '' : `${tool}\t` });
  return sums.map(({ key, count, lastDay }) => {
    const [name = '', pointer = '', actualType = ''] = key.split('\t');
    return { tool: name, pointer, actualType, answers: count, lastDay };
  });
}
