/**
 * The settings of metrics, traces and logs. Those that begin with `OTEL_` have the meaning of OpenTelemetry's specification: here are those that turn
 * something on, and those that its packages do not read themselves.
 */

import type { SpanProcessor } from '@opentelemetry/sdk-trace';
import { z } from 'zod';
import { type ConfigureContext, settingIn, type ValuesOf } from '../../config/setting.ts';
import {
  type ListenAddress,
  parsedBy,
  parseEndpoint,
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

const row = settingIn('Metrics, traces and logs');

type Signal = 'traces' | 'metrics' | 'logs';

/** The exporter reads the URL itself. Here it says only that the signal is sent. */
function endpointOf(signal: Signal) {
  return row({
    variable: `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`,
    read: parsedBy(parseEndpoint),
    defaultText: `OTEL_EXPORTER_OTLP_ENDPOINT/v1/${signal}`,
    type: 'URL',
    meaning: `Where ${signal} are sent, as a full URL.`,
    example: `https://${signal}.example.com/v1/${signal}`,
  });
}

function exporterOf(signal: Signal, remark: string) {
  return row({
    variable: `OTEL_${signal.toUpperCase()}_EXPORTER`,
    read: exporter,
    defaultText: 'otlp where an endpoint is set',
    meaning: `Whether ${signal} are sent: otlp or none.${remark}`,
    example: 'none',
  });
}

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
    meaning: 'true: no metrics, no traces and no logs, whatever else is set.',
    example: 'true',
  }),
  endpoint: row({
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    read: parsedBy(parseEndpoint),
    defaultText: 'none: nothing is sent',
    type: 'URL',
    meaning:
      'Where traces, metrics and logs are sent (OTLP over HTTP, protobuf), each to its path below it, such as /v1/traces. The exporters read the other variables OTEL_EXPORTER_OTLP_* themselves, and OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES describe this gateway.',
    example: 'http://localhost:4318',
  }),
  tracesEndpoint: endpointOf('traces'),
  metricsEndpoint: endpointOf('metrics'),
  logsEndpoint: endpointOf('logs'),
  tracesExporter: exporterOf('traces', ''),
  metricsExporter: exporterOf('metrics', ' METRICS_LISTEN does not depend on it.'),
  logsExporter: exporterOf('logs', ' They are the events of the audit trail, and feedback of agents.'),
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
  /** Null if there are no traces. */
  readonly traces: TraceSettings | null;
  /** Time between two exports of metrics, in milliseconds. Null if they are not sent. */
  readonly metricsIntervalMs: number | null;
  /** True if events of the audit trail, and what modules report, are sent as log records. */
  readonly sendsLogs: boolean;
  /** Address where metrics can be scraped. Null if they cannot be scraped. */
  readonly metricsListen: ListenAddress | null;
  /** Replaces the targets, for tests. By default, the exporters read them from the environment. */
  readonly sinks?: Sinks | undefined;
}

/** Replaces the targets of the environment, for tests. */
export interface Sinks {
  readonly spans?: SpanProcessor;
}

/** Settings of traces. The SDK does not read these variables itself. */
export interface TraceSettings {
  readonly sampler: (typeof SAMPLERS)[number];
  /** Share of sampled traces, from 0 to 1. */
  readonly ratio: number;
  /** True if the trace context of a caller is used. */
  readonly followsCallers: boolean;
  /** Names of services whose upstreams receive `traceparent`. */
  readonly traceparentServices: ReadonlySet<string>;
}

/** @returns null if nothing is enabled: then no telemetry is loaded. */
export function toTelemetry(
  values: ValuesOf<typeof TELEMETRY_ROWS>,
  { connectors, onProblem }: ConfigureContext,
): TelemetrySettings | null {
  const { metricsListen, traceparentServices: services, propagators, endpoint } = values;
  const unknown = services.filter((service) => !connectors.some(({ name }) => name === service));
  if (unknown.length > 0) onProblem('TRACEPARENT_SERVICES', `names no service of this gateway: ${unknown.join(', ')}`);
  if (values.isDisabled === 'true') return null;
  const isSent = (exporter: 'otlp' | 'none' | null, url: string | null) =>
    exporter === null ? (url ?? endpoint) !== null : exporter === 'otlp';
  const sendsTraces = isSent(values.tracesExporter, values.tracesEndpoint);
  const sendsMetrics = isSent(values.metricsExporter, values.metricsEndpoint);
  const sendsLogs = isSent(values.logsExporter, values.logsEndpoint);
  if (!sendsTraces && !sendsMetrics && !sendsLogs && metricsListen === null) return null;
  const traces: TraceSettings = {
    sampler: values.sampler,
    ratio: values.ratio,
    followsCallers: propagators.includes('tracecontext'),
    traceparentServices: new Set(services),
  };
  return {
    traces: sendsTraces ? traces : null,
    metricsIntervalMs: sendsMetrics ? values.metricsIntervalMs : null,
    sendsLogs,
    metricsListen,
  };
}
