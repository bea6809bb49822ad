/**
 * Writes metrics for scrapers, in Prometheus' text format 0.0.4.
 *
 * Names are OpenTelemetry's, translated as its specification says (Prometheus and OpenMetrics Compatibility): dots become `_`, then
 * the unit and `_total` follow.
 */

import type { Attributes } from '@opentelemetry/api';
import { DataPointType, type Histogram, type MetricData, type ResourceMetrics } from '@opentelemetry/sdk-metrics';

/** The `Content-Type` of the format. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const UNITS: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes', '1': 'ratio' };

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
export function expose({ resource, scopeMetrics }: ResourceMetrics): string {
  const families = scopeMetrics.flatMap(({ metrics }) => metrics).map(toFamily);
  const target = `target_info${toLabels(resource.attributes as Attributes)} 1`;
  const lines = ['# HELP target_info Target metadata', '# TYPE target_info gauge', target, ...families.flat()];
  return lines.map((line) => `${line}\n`).join('');
}

function toFamily(metric: MetricData): string[] {
  const { descriptor, dataPointType } = metric;
  const family = toFamilyName(descriptor);
  const type = typeOf(metric);
  const sample = type === 'counter' ? `${family}_total` : family;
  const points =
    dataPointType === DataPointType.HISTOGRAM
      ? metric.dataPoints.flatMap(({ attributes, value }) => toHistogram(family, attributes, value))
      : metric.dataPoints.map(
          ({ attributes, value }) => `${sample}${toLabels(attributes)} ${toNumber(value as number)}`,
        );
  return [`# HELP ${sample} ${toHelp(descriptor.description)}`, `# TYPE ${sample} ${type}`, ...points];
}

function typeOf(metric: MetricData): 'histogram' | 'counter' | 'gauge' {
  if (metric.dataPointType === DataPointType.HISTOGRAM) return 'histogram';
  return metric.dataPointType === DataPointType.SUM && metric.isMonotonic ? 'counter' : 'gauge';
}

function toHistogram(family: string, attributes: Attributes, { buckets, count, sum }: Histogram): string[] {
  let cumulativeCount = 0;
  const bounds = [...buckets.boundaries, Number.POSITIVE_INFINITY];
  const lines = bounds.map((bound, index) => {
    cumulativeCount += buckets.counts[index] ?? 0;
    return `${family}_bucket${toLabels(attributes, ['le', toNumber(bound)])} ${cumulativeCount}`;
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

function toHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function toNumber(value: number): string {
  return value === Number.POSITIVE_INFINITY ? '+Inf' : String(value);
}
