/** Formats the result as a table, for a terminal or a documentation page. */

import type { Check } from './ledger/judge.ts';
import type { Row } from './run.ts';

const HEADS = ['fault', 'requests', 'failed during it', 'sessions lost', 'well after', 'checks'];

/** One row per fault. */
export function toRows(rows: readonly Row[]): string[][] {
  return [
    HEADS,
    ...rows.map((row) => [
      row.title,
      String(row.requests),
      String(row.failures),
      String(row.sessionsLost),
      row.wellAfter === null ? 'not in 10 s' : `${(row.wellAfter / 1000).toFixed(1)} s`,
      toVerdict(row),
    ]),
  ];
}

function toVerdict({ violations }: Row): string {
  const broken = new Set<Check>(violations.map(({ check }) => check));
  return broken.size === 0 ? 'all held' : `BROKEN: ${[...broken].join(', ')}`;
}
