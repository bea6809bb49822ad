/** OpenTelemetry's SDK, configured by the settings: the recorded data, and its targets. Nothing is registered globally. */

import { randomUUID } from 'node:crypto';
import type { Meter, Tracer } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
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
import { createRecorded, type Recorded } from './recorded.ts';
import type { OtlpTarget, Sinks, TelemetrySettings, TraceSettings } from './settings.ts';

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
  /** Sends what is queued, and stops. */
  close(): Promise<void>;
}

/** Maximum time of the last sending. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Failures to send are reported at most once in this time. */
const REPORT_INTERVAL_MS = 60_000;

/** Creates the SDK. @param onFailure called when something could not be sent, but not every time. */
export function createSdk(
  settings: TelemetrySettings,
  { name, version }: { readonly name: string; readonly version: string },
  onFailure: (error: Error | undefined) => void,
  sinks: Sinks = {},
): Sdk {
  const attributes = {
    'service.name': name,
    'service.version': version,
    'service.instance.id': randomUUID(),
    ...settings.resource,
  };
  if (settings.serviceName !== null) attributes['service.name'] = settings.serviceName;
  const resource = resourceFromAttributes(attributes);
  const report = seldom(onFailure);
  const recorded = createRecorded({ name, version });
  const scraped = settings.metricsListen === null ? null : withRecorded(recorded, (more) => new ScrapedReader(more));
  const readers: MetricReader[] = [];
  if (scraped !== null) readers.push(scraped);
  if (settings.metrics) readers.push(toReader(settings.metrics, recorded, report));
  const meters = new MeterProvider({ resource, readers });
  const traces = settings.traces && {
    sampler: toSampler(settings.traces),
    spanProcessors: [
      sinks.spans ??
        new BatchSpanProcessor({ exporter: reporting(new OTLPTraceExporter(settings.traces.target), report) }),
    ],
  };
  const tracers = traces && new TracerProvider({ resource, ...traces });
  return {
    meter: meters.getMeter(name, version),
    recorded,
    tracer: tracers?.getTracer(name, version) ?? null,
    recordsNext: createSampling(settings.traces),
    collect: scraped && (async () => (await scraped.collect()).resourceMetrics),
    async close() {
      await Promise.all([tracers?.shutdown(), meters.shutdown({ timeoutMillis: CLOSE_TIMEOUT_MS })]);
    },
  };
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

function toReader(
  { intervalMs, ...target }: OtlpTarget & { readonly intervalMs: number },
  recorded: Recorded,
  report: Report,
): MetricReader {
  return withRecorded(
    recorded,
    (more) =>
      new PeriodicExportingMetricReader({
        ...more,
        exporter: reporting(new OTLPMetricExporter(target), report),
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
