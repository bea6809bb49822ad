/**
 * Counters and histograms of what happens on every request, kept as plain numbers and passed to the SDK's readers when they collect.
 *
 * The SDK itself sorts the attributes of every value and serialises them as JSON to find the series. That was most of the
 * cost of metrics per call.
 */

import type { Attributes, HrTime } from '@opentelemetry/api';
import { ValueType } from '@opentelemetry/api';
import { hrTime, type InstrumentationScope } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type HistogramMetricData,
  InstrumentType,
  type MetricData,
  type MetricProducer,
  type SumMetricData,
} from '@opentelemetry/sdk-metrics';
import { INSTRUMENTS, type Instrument } from './instruments.ts';

type Instruments = typeof INSTRUMENTS;

/** Metrics that are recorded, not observed. */
export type RecordedKey = {
  [K in keyof Instruments]: Instruments[K]['kind'] extends 'counter' | 'histogram' ? K : never;
}[keyof Instruments];

/** The value of an attribute. Null if the attribute is absent. */
type AttributeValue = string | number | null;

/** The values of a metric's attributes, in the order of its `attributes`. */
type AttributeValues<K extends RecordedKey> = ValuesOf<Instruments[K]['attributes']>;
type ValuesOf<Names extends readonly string[]> = { readonly [Name in keyof Names]: AttributeValue };

/** A total, and the time from which it counts. */
interface TotalSince {
  readonly startTime: HrTime;
  readonly total: Total;
}

/** Values of one metric with the same attributes. */
interface Series extends TotalSince {
  readonly attributes: Attributes;
}

interface Total {
  sum: number;
  count: number;
  /** Count per bucket; the last bucket has no bound. Empty for a counter. */
  readonly counts: number[];
}

/** A tree of series, one level per attribute: a lookup by known strings needs no serialisation. */
interface Level {
  readonly below: Map<AttributeValue, Level>;
  series: Series | null;
}

/** The part of a reader of metrics that says whether it wants cumulative values. */
interface TemporalityChoice {
  selectAggregationTemporality(kind: InstrumentType): AggregationTemporality;
}

/** The recorded metrics of one gateway. */
export interface Recorded {
  /** Adds a value to a counter or a histogram. @param value in the metric's unit. */
  record<K extends RecordedKey>(key: K, value: number, ...values: AttributeValues<K>): void;
  /**
   * Creates a source of metrics for one reader. Values are cumulative or the difference since the reader's last collection, as the reader prefers.
   */
  producerFor(reader: () => TemporalityChoice): MetricProducer;
}

/**
 * Maximum of series per metric. Beyond it, values with other attributes go into one marked series (OpenTelemetry, Metrics SDK, Cardinality limits).
 */
const MAX_SERIES = 2000;
const OVERFLOW: Attributes = { 'otel.metric.overflow': true };

/** Creates the recorded metrics of `INSTRUMENTS`. */
export function createRecorded(scope: InstrumentationScope): Recorded {
  const metrics = new Map<RecordedKey, Metric>();
  for (const [key, instrument] of Object.entries(INSTRUMENTS) as [RecordedKey, Instrument][]) {
    if (instrument.kind === 'counter' || instrument.kind === 'histogram') metrics.set(key, createMetric(instrument));
  }
  return {
    record(key, value, ...values) {
      metrics.get(key)?.record(value, values);
    },
    producerFor(reader) {
      let lastTime: HrTime | null = null;
      const last = new Map<Series, Total>();
      return {
        async collect() {
          const now = hrTime();
          const collected = [...metrics.values()].flatMap(({ kind, toData }) => {
            const temporality = reader().selectAggregationTemporality(
              kind === 'counter' ? InstrumentType.COUNTER : InstrumentType.HISTOGRAM,
            );
            return temporality === AggregationTemporality.DELTA
              ? toData(temporality, now, (series) => {
                  const before = last.get(series);
                  last.set(series, { ...series.total, counts: [...series.total.counts] });
                  return {
                    startTime: before === undefined ? series.startTime : (lastTime ?? series.startTime),
                    total: subtract(series.total, before),
                  };
                })
              : toData(temporality, now, ({ startTime, total }) => ({ startTime, total }));
          });
          lastTime = now;
          // Readers use the resource of the SDK.
          return {
            resourceMetrics: { resource: resourceFromAttributes({}), scopeMetrics: [{ scope, metrics: collected }] },
            errors: [],
          };
        },
      };
    },
  };
}

interface Metric {
  readonly kind: Instrument['kind'];
  record(value: number, values: readonly AttributeValue[]): void;
  /** @param read returns the values to report for a series; series with a count of zero are left out. */
  toData(temporality: AggregationTemporality, now: HrTime, read: (series: Series) => TotalSince): MetricData[];
}

function createMetric({ name, kind, unit, description, attributes, buckets = [] }: Instrument): Metric {
  const all: Series[] = [];
  const root: Level = { below: new Map(), series: null };
  let overflow: Series | null = null;
  let last: { readonly values: readonly AttributeValue[]; readonly series: Series } | null = null;
  const open = (found: Attributes): Series => {
    const counts = kind === 'histogram' ? Array.from({ length: buckets.length + 1 }, () => 0) : [];
    const series = { attributes: found, startTime: hrTime(), total: { sum: 0, count: 0, counts } };
    all.push(series);
    return series;
  };
  const find = (values: readonly AttributeValue[]): Series => {
    let level = root;
    for (const value of values) {
      let next = level.below.get(value);
      if (next === undefined) {
        if (all.length >= MAX_SERIES - 1) {
          overflow ??= open(OVERFLOW);
          return overflow;
        }
        next = { below: new Map(), series: null };
        level.below.set(value, next);
      }
      level = next;
    }
    level.series ??= open(toAttributes(attributes, values));
    return level.series;
  };
  const descriptor = { name, unit, description, valueType: ValueType.DOUBLE };
  return {
    kind,
    record(value, values) {
      if (last === null || !isSame(last.values, values)) last = { values, series: find(values) };
      const { total } = last.series;
      total.sum += value;
      total.count += 1;
      if (kind === 'counter') return;
      let bucket = 0;
      while (bucket < buckets.length && value > (buckets[bucket] as number)) bucket += 1;
      total.counts[bucket] = (total.counts[bucket] ?? 0) + 1;
    },
    toData(aggregationTemporality, endTime, read) {
      const points = all
        .map((series) => ({ ...read(series), endTime, attributes: series.attributes }))
        .filter(({ total }) => total.count > 0);
      if (points.length === 0) return [];
      const common = { descriptor, aggregationTemporality };
      if (kind === 'counter') {
        const dataPoints = points.map(({ total, ...point }) => ({ ...point, value: total.sum }));
        return [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints } satisfies SumMetricData];
      }
      const dataPoints = points.map(({ total: { sum, count, counts }, ...point }) => ({
        ...point,
        value: { sum, count, buckets: { boundaries: [...buckets], counts: [...counts] } },
      }));
      return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints } satisfies HistogramMetricData];
    },
  };
}

function isSame(some: readonly AttributeValue[], others: readonly AttributeValue[]): boolean {
  for (let index = 0; index < some.length; index += 1) if (some[index] !== others[index]) return false;
  return true;
}

function toAttributes(names: readonly string[], values: readonly AttributeValue[]): Attributes {
  return Object.fromEntries(
    names.flatMap((name, index) => {
      const value = values[index] ?? null;
      return value === null ? [] : [[name, value]];
    }),
  );
}

function subtract(now: Total, before: Total | undefined): Total {
  if (before === undefined) return now;
  return {
    sum: now.sum - before.sum,
    count: now.count - before.count,
    counts: now.counts.map((count, index) => count - (before.counts[index] ?? 0)),
  };
}
