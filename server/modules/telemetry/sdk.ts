/** OpenTelemetry's SDK, configured by the settings: the recorded data, and its targets. Nothing is registered globally. */

import { randomUUID } from 'node:crypto';
import { type Meter, SeverityNumber, type Tracer } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import {
  MeterProvider,
  type MetricProducer,
  MetricReader,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { SendLog } from '../../base/log-record.ts';
import { createRecorded, type Recorded } from './recorded.ts';
import type { TelemetrySettings, TraceSettings } from './settings.ts';

/** The SDK of one gateway. */
interface Sdk {
  readonly meter: Meter;
  /** Metrics that its readers collect in addition. */
  readonly recorded: Recorded;
  /** Null if there are no traces. */
  readonly tracer: Tracer | null;
  /** Decides whether a trace that begins here is recorded. Called once per trace, before its first span. */
  readonly recordsNext: () => boolean;
  /** Reads all metrics. Null if metrics cannot be scraped. */
  readonly collect: (() => Promise<ResourceMetrics>) | null;
  /** Null if no logs are sent. */
  readonly sendLog: SendLog | null;
  /** Sends what is queued, and stops. */
  close(): Promise<void>;
}

/** Maximum time of the last sending. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Failures to send are reported at most once in this time. */
const REPORT_INTERVAL_MS = 60_000;

/** Characters of one attribute of a log record. */
const MAX_LOG_VALUE = 4096;

/** Attribute of a resource that names one process among those of the same service. */
export const INSTANCE = 'service.instance.id';

/** Reads what `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` say about this gateway. */
export function detectResource() {
  return detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] });
}

/**
 * Creates the SDK. Its exporters and its resource read the environment themselves.
 *
 * @param options.instance the id of this process. Default: that of the environment, or a random one.
 * @param options.onFailure called when something could not be sent, but not every time.
 */
export function createSdk(
  settings: TelemetrySettings,
  options: {
    readonly product: { readonly name: string; readonly version: string };
    readonly instance: string | undefined;
    readonly onFailure: (error: Error | undefined) => void;
  },
): Sdk {
  const { product, instance } = options;
  const { name, version } = product;
  const attributes = { 'service.name': name, 'service.version': version, [INSTANCE]: randomUUID() };
  const detected = resourceFromAttributes(attributes).merge(detectResource());
  const resource = detected.merge(resourceFromAttributes(instance === undefined ? {} : { [INSTANCE]: instance }));
  const report = seldom(options.onFailure);
  const recorded = createRecorded(product);
  const scraped = settings.metricsListen === null ? null : withRecorded(recorded, (more) => new ScrapedReader(more));
  const readers: MetricReader[] = [];
  if (scraped !== null) readers.push(scraped);
  if (settings.metricsIntervalMs !== null) readers.push(toReader(settings.metricsIntervalMs, recorded, report));
  const meters = new MeterProvider({ resource, readers });
  const traces = settings.traces && {
    sampler: toSampler(settings.traces),
    spanProcessors: [
      settings.sinks?.spans ?? new BatchSpanProcessor({ exporter: reporting(new OTLPTraceExporter(), report) }),
    ],
  };
  const tracers = traces && new TracerProvider({ resource, ...traces });
  const loggers = settings.sendsLogs ? createLoggers(resource, meters, report) : null;
  return {
    meter: meters.getMeter(name, version),
    recorded,
    tracer: tracers?.getTracer(name, version) ?? null,
    recordsNext: createSampling(settings.traces),
    collect: scraped && (async () => (await scraped.collect()).resourceMetrics),
    sendLog: loggers && toSendLog(loggers, product),
    async close() {
      await Promise.all([tracers?.shutdown(), loggers?.shutdown()]);
      await meters.shutdown({ timeoutMillis: CLOSE_TIMEOUT_MS });
    },
  };
}

/** Creates the queue of log records: at most 2,048. The metric `otel.sdk.processor.log.processed` counts those that were dropped or not sent. */
function createLoggers(resource: Resource, meterProvider: MeterProvider, report: Report): LoggerProvider {
  const exporter = reporting(new OTLPLogExporter(), report);
  return new LoggerProvider({
    resource,
    logRecordLimits: { attributeValueLengthLimit: MAX_LOG_VALUE },
    processors: [new BatchLogRecordProcessor({ exporter, selfObsMeterProvider: meterProvider })],
  });
}

const SEVERITIES = {
  info: { severityNumber: SeverityNumber.INFO, severityText: 'INFO' },
  warning: { severityNumber: SeverityNumber.WARN, severityText: 'WARN' },
} as const;

function toSendLog(loggers: LoggerProvider, { name, version }: { name: string; version: string }): SendLog {
  const logger = loggers.getLogger(name, version);
  return ({ name: eventName, at, severity, text, attributes }) =>
    logger.emit({ eventName, timestamp: at, ...SEVERITIES[severity], body: text, attributes });
}

/** Metrics that are read on request. */
class ScrapedReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

type Report = (result: ExportResult) => void;

/** Makes a reader collect the recorded metrics too. */
function withRecorded<Reader extends MetricReader>(
  recorded: Recorded,
  create: (more: { readonly metricProducers: MetricProducer[] }) => Reader,
): Reader {
  const reader: Reader = create({ metricProducers: [recorded.producerFor(() => reader)] });
  return reader;
}

function toReader(intervalMs: number, recorded: Recorded, report: Report): MetricReader {
  return withRecorded(
    recorded,
    (more) =>
      new PeriodicExportingMetricReader({
        ...more,
        exporter: reporting(new OTLPMetricExporter(), report),
        exportIntervalMillis: intervalMs,
      }),
  );
}

/** Passes the result of each export to `report`. */
function reporting<Exporter extends { export(items: never, done: Report): void }>(
  exporter: Exporter,
  report: Report,
): Exporter {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      report(result);
      done(result);
    });
  return exporter;
}

function seldom(onFailure: (error: Error | undefined) => void): Report {
  let quietUntil = 0;
  return ({ code, error }) => {
    if (code !== ExportResultCode.FAILED || performance.now() < quietUntil) return;
    quietUntil = performance.now() + REPORT_INTERVAL_MS;
    onFailure(error);
  };
}

/** Decides before a trace begins, because creating ids for spans that are not recorded costs more. */
function createSampling(traces: TraceSettings | null): () => boolean {
  const share = traces === null ? 0 : shareOf(traces);
  return () => Math.random() < share;
}

/**
 * Returns the sampler. It records every trace that begins here, because those were sampled before. It samples traces of a caller as the settings say.
 */
function toSampler(traces: TraceSettings): Sampler {
  const root = new AlwaysOnSampler();
  if (traces.sampler.startsWith('parentbased_')) return new ParentBasedSampler({ root });
  const share = shareOf(traces);
  const continued = share === 1 ? root : new TraceIdRatioBasedSampler(share);
  return new ParentBasedSampler({ root, remoteParentSampled: continued, remoteParentNotSampled: continued });
}

/** Returns the share of traces that a sampler records, from 0 to 1. */
function shareOf({ sampler, ratio }: TraceSettings): number {
  if (sampler.endsWith('always_on')) return 1;
  return sampler.endsWith('always_off') ? 0 : ratio;
}
