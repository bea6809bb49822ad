/**
 * Writes metrics for scrapers: Prometheus' text format 0.0.4, or OpenMetrics 1.0.0.
 *
 * Names are OpenTelemetry's, translated as its specification says (Prometheus and OpenMetrics Compatibility): dots become `_`, then
 * the unit and `_total` follow.
 */

import type { Attributes } from '@opentelemetry/api';
import { DataPointType, type Histogram, type MetricData, type ResourceMetrics } from '@opentelemetry/sdk-metrics';

/** Formats that a scraper can choose. */
type Format = 'text' | 'openmetrics';

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

const UNITS: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes', '1': 'ratio' };

/** Returns the format that an `Accept` header prefers. Default: text. */
export function chooseFormat(accept: string | undefined): Format {
  const qualityOf = (type: string): number =>
    Math.max(
      0,
      ...(accept ?? '')
        .split(',')
        .filter((mediaRange) => mediaRange.trim().toLowerCase().startsWith(type))
        .map((mediaRange) => Number(/;\s*q=([\d.]+)/i.exec(mediaRange)?.[1] ?? 1)),
    );
  const openmetrics = qualityOf('application/openmetrics-text');
  return openmetrics > 0 && openmetrics >= qualityOf('text/plain') ? 'openmetrics' : 'text';
}

/** Returns the name of a metric without `_total` and the other suffixes of its samples. */
export function toFamilyName({ name, unit }: { readonly name: string; readonly unit: string }): string {
  const plain = toLabel(name);
  const suffix = UNITS[unit];
  return suffix === undefined || plain.endsWith(`_${suffix}`) ? plain : `${plain}_${suffix}`;
}

/** Returns the name of an attribute as a label. */
export function toLabel(attribute: string): string {
  return attribute.replaceAll(/[^A-Za-z0-9_]/g, '_');
}

/** Writes all metrics. They must be cumulative. */
export function expose({ resource, scopeMetrics }: ResourceMetrics, format: Format): string {
  const families = scopeMetrics.flatMap(({ metrics }) => metrics).map((metric) => toFamily(metric, format));
  const target = `target_info${toLabels(resource.attributes as Attributes)} 1`;
  const info =
    format === 'text'
      ? ['# HELP target_info Target metadata', '# TYPE target_info gauge', target]
      : ['# TYPE target info', '# HELP target Target metadata', target];
  const lines = [...info, ...families.flat()];
  if (format === 'openmetrics') lines.push('# EOF');
  return lines.map((line) => `${line}\n`).join('');
}

function toFamily(metric: MetricData, format: Format): string[] {
  const { descriptor, dataPointType } = metric;
  const family = toFamilyName(descriptor);
  const type = typeOf(metric);
  const sample = type === 'counter' ? `${family}_total` : family;
  const metadataName = format === 'text' ? sample : family;
  const unit = UNITS[descriptor.unit];
  const points =
    dataPointType === DataPointType.HISTOGRAM
      ? metric.dataPoints.flatMap(({ attributes, value }) => toHistogram(family, attributes, value, format))
      : metric.dataPoints.map(
          ({ attributes, value }) => `${sample}${toLabels(attributes)} ${toNumber(value as number)}`,
        );
  const metadata = [
    `# HELP ${metadataName} ${toHelp(descriptor.description, format)}`,
    `# TYPE ${metadataName} ${type}`,
  ];
  if (format === 'openmetrics' && unit !== undefined) metadata.push(`# UNIT ${metadataName} ${unit}`);
  return [...metadata, ...points];
}

function typeOf(metric: MetricData): 'histogram' | 'counter' | 'gauge' {
  if (metric.dataPointType === DataPointType.HISTOGRAM) return 'histogram';
  return metric.dataPointType === DataPointType.SUM && metric.isMonotonic ? 'counter' : 'gauge';
}

function toHistogram(
  family: string,
  attributes: Attributes,
  { buckets, count, sum }: Histogram,
  format: Format,
): string[] {
  let cumulativeCount = 0;
  const bounds = [...buckets.boundaries, Number.POSITIVE_INFINITY];
  const lines = bounds.map((bound, index) => {
    cumulativeCount += buckets.counts[index] ?? 0;
    const le = format === 'openmetrics' && Number.isInteger(bound) ? `${bound}.0` : toNumber(bound);
    return `${family}_bucket${toLabels(attributes, ['le', le])} ${cumulativeCount}`;
  });
  const labels = toLabels(attributes);
  return [...lines, `${family}_sum${labels} ${toNumber(sum ?? 0)}`, `${family}_count${labels} ${count}`];
}

function toLabels(attributes: Attributes, ...extraLabels: (readonly [string, string])[]): string {
  const labels = [
    ...Object.entries(attributes).map(([name, value]) => [toLabel(name), String(value)] as const),
    ...extraLabels,
  ];
  return labels.length === 0 ? '' : `{${labels.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function toHelp(text: string, format: Format): string {
  const plain = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return format === 'openmetrics' ? plain.replaceAll('"', '\\"') : plain;
}

function toNumber(value: number): string {
  return value === Number.POSITIVE_INFINITY ? '+Inf' : String(value);
}
