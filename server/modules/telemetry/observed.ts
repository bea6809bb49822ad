/** Metrics that are read when they are collected: the process, connections to the database, and upstreams' circuits. */

import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import type { Attributes } from '@opentelemetry/api';
import type { ConnectionFigures } from '../../base/store/index.ts';
import type { CircuitFigures, CircuitPlace } from '../../call/upstream/circuits.ts';
import type { Core } from '../../module.ts';
import { toServer } from './attributes.ts';
import type { Metrics } from './metrics.ts';

/** Interval of samples in milliseconds. Each sample wakes the process, even when it is idle. */
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

/** Observes this process. Delays and utilization are measured since the last reading. @returns a function that stops observing. */
export function observeProcess(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let last = performance.eventLoopUtilization();
  // The monitor records the whole time between two samples, not only the delay.
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000);
  metrics.observe(FIGURES, (report) => {
    if (delay.count > 0) {
      report('eventLoopDelayP50', late(delay.percentile(50)));
      report('eventLoopDelayP99', late(delay.percentile(99)));
      report('eventLoopDelayMax', late(delay.max));
      delay.reset();
    }
    const now = performance.eventLoopUtilization();
    report('eventLoopUtilization', performance.eventLoopUtilization(now, last).utilization);
    last = now;
    for (const space of getHeapSpaceStatistics()) {
      const attributes = { 'v8js.heap.space.name': space.space_name };
      report('heapUsed', space.space_used_size, attributes);
      report('heapLimit', space.space_size, attributes);
    }
    report('processMemory', process.memoryUsage.rss());
    const { user, system } = process.cpuUsage();
    report('processCpu', user / MICROSECONDS, { 'cpu.mode': 'user' });
    report('processCpu', system / MICROSECONDS, { 'cpu.mode': 'system' });
    report('processUptime', process.uptime());
  });
  return () => delay.disable();
}

const POOL = { 'db.client.connection.pool.name': 'gateway' };

export function observeConnections(metrics: Metrics, read: () => ConnectionFigures): void {
  metrics.observe(['databaseConnections', 'databaseConnectionsMax', 'databasePending'], (report) => {
    const { max, idle, used, waiting } = read();
    report('databaseConnections', idle, { ...POOL, 'db.client.connection.state': 'idle' });
    report('databaseConnections', used, { ...POOL, 'db.client.connection.state': 'used' });
    report('databaseConnectionsMax', max, POOL);
    report('databasePending', waiting, POOL);
  });
}

const STATES = { closed: 0, 'half-open': 1, open: 2 } as const;

/** Reads every circuit whenever metrics are collected. */
export function observeCircuits(metrics: Metrics, circuits: Core['circuits']): void {
  metrics.observe(['circuitState', 'httpClientActive', 'upstreamPending'], (report) => {
    for (const figures of circuits.list()) {
      const attributes = attributesOf(figures);
      report('circuitState', STATES[figures.state], attributes);
      report('httpClientActive', figures.inFlight, attributes);
      report('upstreamPending', figures.waiting, attributes);
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
