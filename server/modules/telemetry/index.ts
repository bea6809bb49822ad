/** Metrics, traces and logs of one gateway. Loaded only if the settings ask for them: see `TelemetrySettings`. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { MetricData, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { Logger } from 'pino';
import type { OnStatement } from '../../base/store/statements.ts';
import type { Listener, Watch, WorkerContext } from '../../module.ts';
import { OTHER } from './attributes.ts';
import { createAroundStages, createInterceptor } from './calls.ts';
import { createMetricsHandler, METRICS_PATH } from './listener.ts';
import { createAroundMessage, withTelemetry } from './messages.ts';
import { createMetrics, type Metrics, observeModules } from './metrics.ts';
import { countCircuit, observeCircuits, observeConnections, observeProcess } from './observed.ts';
import type { Telemetry } from './operation-context.ts';
import { createAroundRequest, createRequestWatch } from './requests.ts';
import { createSdk, detectResource, INSTANCE } from './sdk.ts';
import type { TelemetrySettings } from './settings.ts';

/** Options of one gateway's telemetry. */
interface TelemetryOptions {
  readonly settings: TelemetrySettings;
  readonly product: { readonly name: string; readonly version: string };
  /** The gateway's origin as clients see it. */
  readonly publicUrl: string;
  readonly log: Logger;
  readonly workers?: WorkerContext | null;
}

/** Creates the telemetry of one gateway. */
export function createTelemetry({ settings, product, publicUrl, log, workers = null }: TelemetryOptions): Watch {
  const onFailure = (error: Error | undefined) =>
    log.warn({ err: error }, 'metrics, traces or logs could not be sent; logged at most once a minute');
  const gatewayInstance = workers && instanceOf(workers);
  const instance = workers === null ? undefined : `${gatewayInstance}-${workers.number}`;
  const sdk = createSdk(settings, { product, instance, onFailure });
  const metrics = createMetrics(sdk.meter, sdk.recorded);
  const telemetry: Telemetry = {
    metrics,
    tracer: sdk.tracer,
    recordsNext: sdk.recordsNext,
    followsCallers: settings.traces?.followsCallers ?? false,
    traceparentServices: settings.traces?.traceparentServices ?? new Set(),
    contexts: new AsyncLocalStorage(),
    calls: new Map(),
  };
  const requests = createRequestWatch(metrics, new URL(publicUrl).protocol.slice(0, -1));
  const stopObserving = observeProcess(metrics);
  const collect =
    sdk.collect && workers && gatewayInstance !== null
      ? collectFromAll(sdk.collect, workers, gatewayInstance)
      : sdk.collect;
  return {
    aroundMessage: createAroundMessage(telemetry),
    aroundStages: createAroundStages(telemetry),
    aroundRequest: createAroundRequest(telemetry),
    interceptor: createInterceptor(telemetry),
    onAnswered: requests.onAnswered,
    aroundHandler: requests.around,
    aroundTools: (tools) => withTelemetry(tools, telemetry),
    onStatement: (databaseUrl) => toStatementWatch(metrics, databaseUrl),
    onCircuit: (figures) => countCircuit(metrics, figures),
    observe({ store: { connections }, limits, circuits }, modules) {
      if (connections !== undefined) observeConnections(metrics, connections);
      metrics.observe(['limitsAlone'], (report) => report('limitsAlone', limits.isAlone() ? 1 : 0));
      observeCircuits(metrics, circuits);
      observeModules(sdk.meter, modules);
      if (sdk.sendLog !== null) for (const { onLogs } of modules) onLogs?.(sdk.sendLog);
    },
    listener: collect && toListener(settings.metricsListen, log, collect),
    async close() {
      stopObserving();
      await sdk.close();
    },
  };
}

/** Metrics of one worker. */
interface Report {
  readonly attributes: Attributes;
  readonly metrics: readonly MetricData[];
}

/** Returns the id of a gateway with several workers. Each worker sends as an instance of its own. */
function instanceOf({ gatewayId }: WorkerContext): string {
  return String(detectResource().attributes[INSTANCE] ?? gatewayId);
}

/**
 * Returns a function that reads the metrics of all workers, each value with the number of its worker. The counters begin again with the worker
 * that replaces it, as those of a node do.
 */
function collectFromAll(
  collect: () => Promise<ResourceMetrics>,
  { report, gather }: WorkerContext,
  instance: string,
): () => Promise<ResourceMetrics> {
  report('metrics', async (): Promise<Report> => {
    const { resource, scopeMetrics } = await collect();
    return { attributes: resource.attributes as Attributes, metrics: scopeMetrics.flatMap(({ metrics }) => metrics) };
  });
  return async () => {
    const reports = (await gather('metrics')) as readonly { readonly worker: number; readonly answer: Report }[];
    const all = reports.flatMap(({ worker, answer }) => answer.metrics.map((metric) => withWorker(metric, worker)));
    const byName = Map.groupBy(all, ({ descriptor }) => descriptor.name);
    const metrics = [...byName.values()].map((group) => {
      const dataPoints = group.flatMap((metric) => metric.dataPoints as []);
      return { ...(group[0] as MetricData), dataPoints };
    });
    const resource = resourceFromAttributes({ ...reports[0]?.answer.attributes, [INSTANCE]: instance });
    return { resource, scopeMetrics: [{ scope: { name: '' }, metrics }] };
  };
}

function withWorker(metric: MetricData, worker: number): MetricData {
  const dataPoints = metric.dataPoints.map((point) => {
    return { ...point, attributes: { ...point.attributes, 'gateway.worker': worker } };
  });
  return { ...metric, dataPoints } as MetricData;
}

/** Returns the listener for metrics and probes; null if the settings name none. */
function toListener(
  address: TelemetrySettings['metricsListen'],
  log: Logger,
  collect: () => Promise<ResourceMetrics>,
): Listener | null {
  if (address === null) return null;
  return {
    setting: 'METRICS_LISTEN',
    address,
    path: METRICS_PATH,
    startupLog: { line: 'listening for metrics', facts: { ...address, path: METRICS_PATH } },
    serve: (health) => createMetricsHandler({ ...health, log, collect }),
  };
}

function toStatementWatch(metrics: Metrics, databaseUrl: string): OnStatement {
  const system = databaseUrl.startsWith('sqlite:') ? 'sqlite' : 'postgresql';
  return ({ operation, milliseconds, failed }) =>
    metrics.record('databaseDuration', milliseconds / 1000, system, operation, failed ? OTHER : null);
}
