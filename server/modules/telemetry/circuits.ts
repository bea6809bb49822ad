/** Metrics of upstreams' circuits: what is in progress, what waits, and what is refused. */

import type { Attributes } from '@opentelemetry/api';
import type { CircuitFigures, CircuitPlace, Circuits } from '../../call/upstream/circuits/index.ts';
import { toServer } from './attributes.ts';
import type { Metrics } from './metrics.ts';

const STATES = { closed: 0, 'half-open': 1, open: 2 } as const;

/** Reads every circuit whenever metrics are collected. */
export function observeCircuits(metrics: Metrics, circuits: Pick<Circuits, 'list'>): void {
  metrics.observe(['circuitState', 'httpClientActive', 'upstreamPending'], (say) => {
    for (const figures of circuits.list()) {
      const attributes = attributesOf(figures);
      say('circuitState', STATES[figures.state], attributes);
      say('httpClientActive', figures.inFlight, attributes);
      say('upstreamPending', figures.waiting, attributes);
    }
  });
}

export function countCircuit(metrics: Metrics, figures: CircuitFigures): void {
  if (figures.state === 'closed') return;
  const { address, port } = toServer(figures.origin);
  metrics.record('circuitOpened', 1, figures.service, address, port);
}

function attributesOf({ service, origin }: CircuitPlace): Attributes {
  const { address, port } = toServer(origin);
  return { 'gateway.service': service, 'server.address': address, 'server.port': port };
}
