/** Drift: where the answers of upstreams differ from their descriptors. */

import { addDrift } from '../../base/store/repositories/calls/drift-tallies.ts';
import { defineModule } from '../../module.ts';
import { createDriftCounter } from './counter.ts';
import { driftParts } from './dashboard.ts';

export const drift = defineModule({
  name: 'drift',
  summary: 'Counts where the answers of upstreams differ from the output schemas of their tools.',
  open({ store, catalogue, now, log }) {
    const counter = createDriftCounter({
      write: (rows) => addDrift(store.db, rows),
      now,
      onProblem: ({ lost, error }) => log.warn({ err: error, lost }, 'changed answers could not be counted'),
    });
    return { onDrift: counter.count, dashboard: driftParts({ store, catalogue }), close: () => counter.stop() };
  },
});
