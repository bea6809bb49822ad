/** The variables of metrics and traces. Those that begin with `OTEL_` have the meaning of OpenTelemetry's specification. */

import { z } from 'zod';
import { described } from './described.ts';
import {
  parsedBy,
  parseEndpoint,
  parseKeyPairs,
  parseListenAddress,
  parseNames,
  parseRatio,
  wholeNumber,
} from './values.ts';

/** Ways of sampling traces. The names are OpenTelemetry's. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const exporter = z.enum(['otlp', 'none'], { error: 'must be otlp or none; /metrics has METRICS_LISTEN' }).optional();
const PROPAGATORS = ['tracecontext', 'baggage', 'none'];

function parsePropagators(text: string): string[] {
  const names = parseNames(text);
  if (names.every((name) => PROPAGATORS.includes(name))) return names;
  throw new Error(`must be some of ${PROPAGATORS.join(', ')}, separated by commas`);
}

/** See `VARIABLES`. */
export const TELEMETRY_VARIABLES = {
  METRICS_LISTEN: described(parsedBy(parseListenAddress).optional(), {
    meaning:
      'Address and port of a listener for operators: /metrics for Prometheus, /healthz and /readyz, without authentication. It may be the same as ADMIN_LISTEN.',
    default: 'none: nothing is counted for Prometheus',
    example: '127.0.0.1:9464',
  }),
  TRACEPARENT_SERVICES: described(parsedBy(parseNames).default([]), {
    meaning:
      'Services, separated by commas, whose upstreams receive traceparent, so that traces continue there. It links the calls of one conversation.',
    default: 'none',
    example: 'crm,billing',
  }),
  OTEL_SDK_DISABLED: described(z.enum(['true', 'false'], { error: 'must be true or false' }).default('false'), {
    meaning: 'true: no metrics and no traces, whatever else is set.',
    example: 'true',
  }),
  OTEL_SERVICE_NAME: described(z.string().max(255).optional(), {
    meaning: 'Name of this gateway in metrics and traces.',
    default: 'service.name of OTEL_RESOURCE_ATTRIBUTES, else unified-tool-gateway',
    example: 'tool-gateway-eu',
  }),
  OTEL_RESOURCE_ATTRIBUTES: described(parsedBy(parseKeyPairs).default({}), {
    meaning:
      'Additional attributes of this gateway, as key=value separated by commas. service.instance.id is random otherwise.',
    default: 'none',
    example: 'deployment.environment.name=production,service.instance.id=node-1',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: described(parsedBy(parseEndpoint).optional(), {
    meaning: 'Where traces and metrics are sent (OTLP over HTTP, protobuf); /v1/traces and /v1/metrics follow it.',
    default: 'none: nothing is sent',
    example: 'http://localhost:4318',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: described(parsedBy(parseEndpoint).optional(), {
    meaning: 'Where traces are sent, as a full URL.',
    default: 'OTEL_EXPORTER_OTLP_ENDPOINT/v1/traces',
    example: 'https://traces.example.com/v1/traces',
  }),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: described(parsedBy(parseEndpoint).optional(), {
    meaning: 'Where metrics are sent, as a full URL.',
    default: 'OTEL_EXPORTER_OTLP_ENDPOINT/v1/metrics',
    example: 'https://metrics.example.com/v1/metrics',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: described(parsedBy(parseKeyPairs).default({}), {
    meaning: 'Headers of the export, as key=value separated by commas, such as an API key.',
    default: 'none',
    example: 'api-key=0123456789',
    secret: true,
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: described(
    z.literal('http/protobuf', { error: 'must be http/protobuf' }).default('http/protobuf'),
    { meaning: 'Protocol of the export.', example: 'http/protobuf' },
  ),
  OTEL_EXPORTER_OTLP_COMPRESSION: described(
    z.enum(['gzip', 'none'], { error: 'must be gzip or none' }).default('none'),
    {
      meaning: 'Compression of the export: gzip or none.',
      example: 'gzip',
    },
  ),
  OTEL_EXPORTER_OTLP_TIMEOUT: described(wholeNumber(100, 600_000).default(10_000), {
    meaning: 'Timeout of one export, in milliseconds.',
    example: '10000',
  }),
  OTEL_TRACES_EXPORTER: described(exporter, {
    meaning: 'Whether traces are sent: otlp or none.',
    default: 'otlp where an endpoint is set',
    example: 'none',
  }),
  OTEL_METRICS_EXPORTER: described(exporter, {
    meaning: 'Whether metrics are sent: otlp or none. METRICS_LISTEN does not depend on it.',
    default: 'otlp where an endpoint is set',
    example: 'none',
  }),
  OTEL_METRIC_EXPORT_INTERVAL: described(wholeNumber(1000, 3_600_000).default(60_000), {
    meaning: 'Time between two exports of metrics, in milliseconds.',
    example: '15000',
  }),
  OTEL_TRACES_SAMPLER: described(
    z.enum(SAMPLERS, { error: `must be one of ${SAMPLERS.join(', ')}` }).default('parentbased_always_on'),
    {
      meaning: `Which traces are kept: ${SAMPLERS.join(', ')}. With parentbased, a caller that sends traceparent decides.`,
      example: 'parentbased_traceidratio',
    },
  ),
  OTEL_TRACES_SAMPLER_ARG: described(parsedBy(parseRatio).default(1), {
    meaning: 'Share of traces that traceidratio keeps, from 0 to 1.',
    example: '0.01',
  }),
  OTEL_PROPAGATORS: described(parsedBy(parsePropagators).default(['tracecontext', 'baggage']), {
    meaning:
      'Whether the trace context of callers counts: tracecontext, or none. baggage is accepted, but never read and never sent.',
    default: 'tracecontext,baggage',
    example: 'none',
  }),
};
