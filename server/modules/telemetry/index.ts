/** Metrics and traces of one gateway. Loaded only if the settings ask for them: see `TelemetrySettings`. */

import type { Logger } from 'pino';
import type { FrontDependencies, RequestHandler } from '../../base/http/front.ts';
import type { HealthDependencies } from '../../base/http/probes/health.ts';
import type { RunningLimits } from '../../base/limits/index.ts';
import type { ConnectionFigures, Store } from '../../base/store/index.ts';
import type { OnStatement } from '../../base/store/statements.ts';
import type { AroundMessage } from '../../call/mcp/endpoint.ts';
import type { AroundStage, Interceptor } from '../../call/tools/call/call.ts';
import type { ToolProvider } from '../../call/tools/provider.ts';
import type { CircuitFigures, Circuits } from '../../call/upstream/circuits/index.ts';
import type { AroundRequest } from '../../call/upstream/index.ts';
import type { TelemetrySettings } from '../../config/telemetry.ts';
import { OTHER } from './attributes.ts';
import { createAroundStages, createInterceptor } from './calls.ts';
import { countCircuit, observeCircuits } from './circuits.ts';
import { createMetricsHandler, withMetrics } from './listener.ts';
import { createAroundMessage, withWatch } from './messages.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createPlaces } from './place.ts';
import { observeProcess } from './process.ts';
import { createAroundRequest, createRequestWatch } from './requests.ts';
import { createSdk, type Sinks } from './sdk.ts';

export type { Sinks } from './sdk.ts';

/** What telemetry is created from. */
interface TelemetryOptions {
  readonly settings: TelemetrySettings;
  readonly product: { readonly name: string; readonly version: string };
  /** The gateway's origin as clients see it. */
  readonly publicUrl: string;
  readonly log: Logger;
  readonly sinks?: Sinks | undefined;
}

/** Hooks for the parts of a gateway. None of them changes what a part does. */
export interface Telemetry {
  /** For figures that other parts hold, such as a state: see `INSTRUMENTS`. */
  readonly metrics: Metrics;
  readonly aroundMessage: AroundMessage;
  readonly aroundStages: () => AroundStage | null;
  readonly aroundRequest: AroundRequest;
  readonly interceptor: Interceptor;
  readonly onAnswered: NonNullable<FrontDependencies['onAnswered']>;
  aroundHandler(handle: RequestHandler): RequestHandler;
  aroundTools(tools: ToolProvider): ToolProvider;
  onStatement(databaseUrl: string): OnStatement;
  observeStore(store: Pick<Store, 'connections'>): void;
  observeLimits(limits: Pick<RunningLimits, 'isAlone'>): void;
  observeCircuits(circuits: Pick<Circuits, 'list'>): void;
  /** Counts that a breaker opened or closed. */
  countCircuit(figures: CircuitFigures): void;
  /** Serves metrics and probes; null: nothing may scrape. */
  readonly createHandler: ((health: HealthDependencies) => RequestHandler) | null;
  readonly withMetrics: typeof withMetrics;
  /** Sends what is queued, and stops. */
  close(): Promise<void>;
}

const POOL = { 'db.client.connection.pool.name': 'gateway' };

/** Creates the telemetry of one gateway. */
export function createTelemetry({ settings, product, publicUrl, log, sinks }: TelemetryOptions): Telemetry {
  const onFailure = (error: Error | undefined) =>
    log.warn({ err: error }, 'metrics or traces could not be sent; logged at most once a minute');
  const sdk = createSdk(settings, product, onFailure, sinks);
  const metrics = createMetrics(sdk.meter, sdk.recorded);
  const watching = { metrics, tracer: sdk.tracer, keepsNext: sdk.keepsNext, places: createPlaces() };
  const requests = createRequestWatch(metrics, new URL(publicUrl).protocol.slice(0, -1));
  const stopObserving = observeProcess(metrics);
  const { collect } = sdk;
  return {
    metrics,
    aroundMessage: createAroundMessage(watching, settings.traces),
    aroundStages: createAroundStages(watching),
    aroundRequest: createAroundRequest(watching, settings.traces?.traceparentServices ?? new Set()),
    interceptor: createInterceptor(watching),
    onAnswered: requests.onAnswered,
    aroundHandler: requests.around,
    aroundTools: (tools) => withWatch(tools, watching.places),
    onStatement: (databaseUrl) => toStatementWatch(metrics, databaseUrl),
    observeStore: ({ connections }) => {
      if (connections !== undefined) observeConnections(metrics, connections);
    },
    observeLimits: (limits) => metrics.observe(['limitsAlone'], (say) => say('limitsAlone', limits.isAlone() ? 1 : 0)),
    observeCircuits: (circuits) => observeCircuits(metrics, circuits),
    countCircuit: (figures) => countCircuit(metrics, figures),
    createHandler: collect && ((health) => createMetricsHandler({ ...health, log, collect })),
    withMetrics,
    async close() {
      stopObserving();
      await sdk.close();
    },
  };
}

function toStatementWatch(metrics: Metrics, databaseUrl: string): OnStatement {
  const system = databaseUrl.startsWith('sqlite:') ? 'sqlite' : 'postgresql';
  return ({ operation, milliseconds, failed }) =>
    metrics.record('databaseDuration', milliseconds / 1000, system, operation, failed ? OTHER : null);
}

function observeConnections(metrics: Metrics, read: () => ConnectionFigures): void {
  metrics.observe(['databaseConnections', 'databaseConnectionsMax', 'databasePending'], (say) => {
    const { max, idle, used, waiting } = read();
    say('databaseConnections', idle, { ...POOL, 'db.client.connection.state': 'idle' });
    say('databaseConnections', used, { ...POOL, 'db.client.connection.state': 'used' });
    say('databaseConnectionsMax', max, POOL);
    say('databasePending', waiting, POOL);
  });
}
