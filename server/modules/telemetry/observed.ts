/** Metrics that are read when they are collected: the process, connections to the database, and upstreams' circuits. */

import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import type { Attributes } from '@opentelemetry/api';
import type { ConnectionFigures } from '../../base/store/index.ts';
import type { CircuitFigures, CircuitPlace, Circuits } from '../../call/upstream/circuits.ts';
import { toServer } from './attributes.ts';
import type { Metrics } from './metrics.ts';

/** Each sample wakes the process, even when it is idle. */
const RESOLUTION_MS = 50;
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

const FIGURES = [
  'eventLoopDelayP50',
  'eventLoopDelayP99',
  'eventLoopDelayMax',
  'eventLoopUtilization',
  'heapUsed',
  'heapLimit',
  'processMemory',
  'processCpu',
  'processUptime',
] as const;

/** Observes this process. Delays and utilization are measured since the last reading. @returns a function that stops it. */
export function observeProcess(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let last = performance.eventLoopUtilization();
  // The monitor records the whole time between two samples, not only the delay.
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000);
  metrics.observe(FIGURES, (say) => {
    if (delay.count > 0) {
      say('eventLoopDelayP50', late(delay.percentile(50)));
      say('eventLoopDelayP99', late(delay.percentile(99)));
      say('eventLoopDelayMax', late(delay.max));
      delay.reset();
    }
    const now = performance.eventLoopUtilization();
    say('eventLoopUtilization', performance.eventLoopUtilization(now, last).utilization);
    last = now;
    for (const space of getHeapSpaceStatistics()) {
      const attributes = { 'v8js.heap.space.name': space.space_name };
      say('heapUsed', space.space_used_size, attributes);
      say('heapLimit', space.space_size, attributes);
    }
    say('processMemory', process.memoryUsage.rss());
    const { user, system } = process.cpuUsage();
    say('processCpu', user / MICROSECONDS, { 'cpu.mode': 'user' });
    say('processCpu', system / MICROSECONDS, { 'cpu.mode': 'system' });
    say('processUptime', process.uptime());
  });
  return () => delay.disable();
}

const POOL = { 'db.client.connection.pool.name': 'gateway' };

export function observeConnections(metrics: Metrics, read: () => ConnectionFigures): void {
  metrics.observe(['databaseConnections', 'databaseConnectionsMax', 'databasePending'], (say) => {
    const { max, idle, used, waiting } = read();
    say('databaseConnections', idle, { ...POOL, 'db.client.connection.state': 'idle' });
    say('databaseConnections', used, { ...POOL, 'db.client.connection.state': 'used' });
    say('databaseConnectionsMax', max, POOL);
    say('databasePending', waiting, POOL);
  });
}

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
