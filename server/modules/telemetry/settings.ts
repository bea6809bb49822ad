/** The settings of metrics and traces. Those that begin with `OTEL_` have the meaning of OpenTelemetry's specification. */

import type { SpanProcessor } from '@opentelemetry/sdk-trace';
import { z } from 'zod';
import { type ConfigureContext, settingIn, type ValuesOf } from '../../config/setting.ts';
import {
  type ListenAddress,
  parsedBy,
  parseEndpoint,
  parseKeyPairs,
  parseListenAddress,
  parseNames,
  parseRatio,
  wholeNumber,
} from '../../config/values.ts';

/** Ways of sampling traces. The names are OpenTelemetry's. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const exporter = z.enum(['otlp', 'none'], { error: 'must be otlp or none; /metrics has METRICS_LISTEN' });
const PROPAGATORS = ['tracecontext', 'baggage', 'none'];

function parsePropagators(text: string): string[] {
  const names = parseNames(text);
  if (names.every((name) => PROPAGATORS.includes(name))) return names;
  throw new Error(`must be some of ${PROPAGATORS.join(', ')}, separated by commas`);
}

const row = settingIn('Metrics and traces');

/** By the name under which `toTelemetry` reads the value. */
export const TELEMETRY_ROWS = {
  metricsListen: row({
    variable: 'METRICS_LISTEN',
    read: parsedBy(parseListenAddress),
    defaultText: 'none: nothing is counted for Prometheus',
    type: 'address:port',
    meaning:
      'Address and port of a listener for operators: /metrics for Prometheus, /healthz and /readyz, without authentication. It may be the same as ADMIN_LISTEN.',
    example: '127.0.0.1:9464',
  }),
  traceparentServices: row({
    variable: 'TRACEPARENT_SERVICES',
    read: parsedBy(parseNames),
    default: [],
    type: 'names of services',
    meaning:
      'Services, separated by commas, whose upstreams receive traceparent, so that traces continue there. It links the calls of one conversation.',
    example: 'crm,billing',
  }),
  isDisabled: row({
    variable: 'OTEL_SDK_DISABLED',
    read: z.enum(['true', 'false'], { error: 'must be true or false' }),
    default: 'false',
    meaning: 'true: no metrics and no traces, whatever else is set.',
    example: 'true',
  }),
  serviceName: row({
    variable: 'OTEL_SERVICE_NAME',
    read: z.string().max(255),
    defaultText: 'service.name of OTEL_RESOURCE_ATTRIBUTES, else unified-tool-gateway',
    type: 'text',
    meaning: 'Name of this gateway in metrics and traces.',
    example: 'tool-gateway-eu',
  }),
  resource: row({
    variable: 'OTEL_RESOURCE_ATTRIBUTES',
    read: parsedBy(parseKeyPairs),
    default: {},
    defaultText: 'none',
    type: 'key=value, ...',
    meaning:
      'Additional attributes of this gateway, as key=value separated by commas. service.instance.id is random otherwise.',
    example: 'deployment.environment.name=production,service.instance.id=node-1',
  }),
  endpoint: row({
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    read: parsedBy(parseEndpoint),
    defaultText: 'none: nothing is sent',
    type: 'URL',
    meaning: 'Where traces and metrics are sent (OTLP over HTTP, protobuf); /v1/traces and /v1/metrics follow it.',
    example: 'http://localhost:4318',
  }),
  tracesEndpoint: row({
    variable: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    read: parsedBy(parseEndpoint),
    defaultText: 'OTEL_EXPORTER_OTLP_ENDPOINT/v1/traces',
    type: 'URL',
    meaning: 'Where traces are sent, as a full URL.',
    example: 'https://traces.example.com/v1/traces',
  }),
  metricsEndpoint: row({
    variable: 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
    read: parsedBy(parseEndpoint),
    defaultText: 'OTEL_EXPORTER_OTLP_ENDPOINT/v1/metrics',
    type: 'URL',
    meaning: 'Where metrics are sent, as a full URL.',
    example: 'https://metrics.example.com/v1/metrics',
  }),
  headers: row({
    variable: 'OTEL_EXPORTER_OTLP_HEADERS',
    read: parsedBy(parseKeyPairs),
    default: {},
    defaultText: 'none',
    type: 'key=value, ...',
    meaning: 'Headers of the export, as key=value separated by commas, such as an API key.',
    example: 'api-key=0123456789',
    secret: true,
  }),
  protocol: row({
    variable: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    read: z.literal('http/protobuf', { error: 'must be http/protobuf' }),
    default: 'http/protobuf',
    meaning: 'Protocol of the export.',
  }),
  tracesExporter: row({
    variable: 'OTEL_TRACES_EXPORTER',
    read: exporter,
    defaultText: 'otlp where an endpoint is set',
    meaning: 'Whether traces are sent: otlp or none.',
    example: 'none',
  }),
  metricsExporter: row({
    variable: 'OTEL_METRICS_EXPORTER',
    read: exporter,
    defaultText: 'otlp where an endpoint is set',
    meaning: 'Whether metrics are sent: otlp or none. METRICS_LISTEN does not depend on it.',
    example: 'none',
  }),
  metricsIntervalMs: row({
    variable: 'OTEL_METRIC_EXPORT_INTERVAL',
    read: wholeNumber(1000, 3_600_000),
    default: 60_000,
    meaning: 'Time between two exports of metrics, in milliseconds.',
    example: '15000',
  }),
  sampler: row({
    variable: 'OTEL_TRACES_SAMPLER',
    read: z.enum(SAMPLERS, { error: `must be one of ${SAMPLERS.join(', ')}` }),
    default: 'parentbased_always_on',
    meaning: `Which traces are kept: ${SAMPLERS.join(', ')}. With parentbased, a caller that sends traceparent decides.`,
    example: 'parentbased_traceidratio',
  }),
  ratio: row({
    variable: 'OTEL_TRACES_SAMPLER_ARG',
    read: parsedBy(parseRatio),
    default: 1,
    type: 'number from 0 to 1',
    meaning: 'Share of traces that traceidratio keeps, from 0 to 1.',
    example: '0.01',
  }),
  propagators: row({
    variable: 'OTEL_PROPAGATORS',
    read: parsedBy(parsePropagators),
    default: ['tracecontext', 'baggage'],
    defaultText: 'tracecontext,baggage',
    type: 'names',
    meaning:
      'Whether the trace context of callers counts: tracecontext, or none. baggage is accepted, but never read and never sent.',
    example: 'none',
  }),
} as const;
export interface TelemetrySettings {
  /** Attributes of this gateway in addition to its name and version. */
  readonly resource: Readonly<Record<string, string>>;
  /** Name of the service. Null for the gateway's own name. */
  readonly serviceName: string | null;
  /** Null if there are no traces. */
  readonly traces: TraceSettings | null;
  /** Target of metrics. Null if they are not sent. */
  readonly metrics: (OtlpTarget & { readonly intervalMs: number }) | null;
  /** Address where metrics can be scraped. Null if they cannot be scraped. */
  readonly metricsListen: ListenAddress | null;
  /** Replaces the targets of metrics and traces, for tests. By default, the targets of the settings are used. */
  readonly sinks?: Sinks | undefined;
}

/** Replaces the settings' targets, for tests. */
export interface Sinks {
  readonly spans?: SpanProcessor;
}

/** Settings of traces: their sampling and their target. */
export interface TraceSettings {
  readonly target: OtlpTarget;
  readonly sampler: (typeof SAMPLERS)[number];
  /** Share of sampled traces, from 0 to 1. */
  readonly ratio: number;
  /** True if the trace context of a caller is used. */
  readonly followsCallers: boolean;
  /** Names of services whose upstreams receive `traceparent`. */
  readonly traceparentServices: ReadonlySet<string>;
}

/** Target of OTLP requests. The exporters read the other variables `OTEL_EXPORTER_OTLP_*`, such as that of compression. */
export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** OpenTelemetry's default for an exporter without an endpoint. */
const LOCAL_COLLECTOR = 'http://localhost:4318';

/** @returns null if nothing is enabled: then no telemetry is loaded. */
export function toTelemetry(
  values: ValuesOf<typeof TELEMETRY_ROWS>,
  { connectors, onProblem }: ConfigureContext,
): TelemetrySettings | null {
  const { metricsListen, traceparentServices: services, propagators } = values;
  const unknown = services.filter((service) => !connectors.some(({ name }) => name === service));
  if (unknown.length > 0) onProblem('TRACEPARENT_SERVICES', `names no service of this gateway: ${unknown.join(', ')}`);
  if (values.isDisabled === 'true') return null;
  const traces = toTarget(values, values.tracesExporter, values.tracesEndpoint, '/v1/traces');
  const metrics = toTarget(values, values.metricsExporter, values.metricsEndpoint, '/v1/metrics');
  if (traces === null && metrics === null && metricsListen === null) return null;
  return {
    resource: values.resource,
    serviceName: values.serviceName,
    traces: traces && {
      target: traces,
      sampler: values.sampler,
      ratio: values.ratio,
      followsCallers: propagators.includes('tracecontext'),
      traceparentServices: new Set(services),
    },
    metrics: metrics && { ...metrics, intervalMs: values.metricsIntervalMs },
    metricsListen,
  };
}

function toTarget(
  { endpoint, headers }: ValuesOf<typeof TELEMETRY_ROWS>,
  exporter: 'otlp' | 'none' | null,
  url: string | null,
  path: string,
): OtlpTarget | null {
  if (exporter === 'none' || (exporter === null && url === null && endpoint === null)) return null;
  return { url: url ?? (endpoint ?? LOCAL_COLLECTOR) + path, headers };
}
