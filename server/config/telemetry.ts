/** The settings of metrics and traces. */

import type { Connector } from '../contract/index.ts';
import type { SAMPLERS } from './telemetry-variables.ts';
import type { ListenAddress } from './values.ts';
import type { Settings } from './variables.ts';

/** Settings of metrics, traces, or both. */
export interface TelemetrySettings {
  /** Attributes of this gateway in addition to its name and version. */
  readonly resource: Readonly<Record<string, string>>;
  /** Null: the gateway's own name. */
  readonly serviceName: string | null;
  /** Null: there are no traces. */
  readonly traces: TraceSettings | null;
  /** Where metrics are sent; null: nowhere. */
  readonly metrics: (OtlpTarget & { readonly intervalMs: number }) | null;
  /** Address where metrics can be scraped; null: nowhere. */
  readonly metricsListen: ListenAddress | null;
}

/** Which traces are recorded, and where they are sent. */
export interface TraceSettings {
  readonly target: OtlpTarget;
  readonly sampler: (typeof SAMPLERS)[number];
  /** From 0 to 1. */
  readonly ratio: number;
  /** Whether the trace context of a caller is used. */
  readonly followsCallers: boolean;
  /** Names of services whose upstreams receive `traceparent`. */
  readonly traceparentServices: ReadonlySet<string>;
}

/** Where OTLP is sent. */
export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: 'gzip' | 'none';
}

/** OpenTelemetry's default for an exporter without an endpoint. */
const LOCAL_COLLECTOR = 'http://localhost:4318';

/** @returns null if nothing is enabled: then no telemetry is loaded. */
export function toTelemetry(
  settings: Settings,
  connectors: readonly Connector[],
  onProblem: (variable: 'TRACEPARENT_SERVICES', problem: string) => void,
): TelemetrySettings | null {
  const { METRICS_LISTEN: metricsListen = null, TRACEPARENT_SERVICES: services = [] } = settings;
  const unknown = services.filter((service) => !connectors.some(({ name }) => name === service));
  if (unknown.length > 0) onProblem('TRACEPARENT_SERVICES', `names no service of this gateway: ${unknown.join(', ')}`);
  if (settings.OTEL_SDK_DISABLED === 'true') return null;
  const {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesEndpoint,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: metricsEndpoint,
    OTEL_PROPAGATORS: propagators = [],
  } = settings;
  const traces = toTarget(settings, settings.OTEL_TRACES_EXPORTER, tracesEndpoint, '/v1/traces');
  const metrics = toTarget(settings, settings.OTEL_METRICS_EXPORTER, metricsEndpoint, '/v1/metrics');
  if (traces === null && metrics === null && metricsListen === null) return null;
  return {
    resource: settings.OTEL_RESOURCE_ATTRIBUTES,
    serviceName: settings.OTEL_SERVICE_NAME ?? null,
    traces: traces && {
      target: traces,
      sampler: settings.OTEL_TRACES_SAMPLER,
      ratio: settings.OTEL_TRACES_SAMPLER_ARG,
      followsCallers: propagators.includes('tracecontext'),
      traceparentServices: new Set(services),
    },
    metrics: metrics && { ...metrics, intervalMs: settings.OTEL_METRIC_EXPORT_INTERVAL },
    metricsListen,
  };
}

function toTarget(
  settings: Settings,
  exporter: 'otlp' | 'none' | undefined,
  own: string | undefined,
  path: string,
): OtlpTarget | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  if (exporter === 'none' || (exporter === undefined && own === undefined && endpoint === undefined)) return null;
  return {
    url: own ?? (endpoint ?? LOCAL_COLLECTOR) + path,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    timeoutMs: settings.OTEL_EXPORTER_OTLP_TIMEOUT,
    compression: settings.OTEL_EXPORTER_OTLP_COMPRESSION,
  };
}
