/** Drift: where the answers of upstreams differ from their descriptors. */

import { defineModule } from '../../module.ts';
import { createDriftCounter } from './counter.ts';
import { driftParts } from './dashboard.ts';
import { addDrift, DRIFT_TABLES } from './tallies.ts';

const DAY_MS = 86_400_000;

export const drift = defineModule({
  name: 'drift',
  summary: 'Counts where the answers of upstreams differ from the output schemas of their tools.',
  tables: DRIFT_TABLES,
  retention: () => [
    {
      table: 'drift_tallies',
      key: 'key',
      column: 'created_at',
      keepMs: 40 * DAY_MS,
      why: 'what an upstream answered a month ago proposes no change; the sums hold no values',
    },
  ],
  open({ store, catalogue, now, log }) {
    const counter = createDriftCounter({
      write: (rows) => addDrift(store.db, rows),
      now,
      onProblem: ({ lost, error }) => log.warn({ err: error, lost }, 'changed answers could not be counted'),
    });
    return { onDrift: counter.count, dashboard: driftParts({ store, catalogue }), close: () => counter.stop() };
  },
});
