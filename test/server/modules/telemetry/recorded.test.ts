import { AggregationTemporality, MeterProvider, MetricReader, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { INSTRUMENTS } from '../../../../server/modules/telemetry/instruments.ts';
import { createRecorded } from '../../../../server/modules/telemetry/recorded.ts';
import { numRuns } from '../../../support/num-runs.ts';

const { operationDuration: HISTOGRAM, toolCalls: COUNTER } = INSTRUMENTS;

class Reader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** Points of all metrics, without times, minimum and maximum. */
function pointsOf({ scopeMetrics }: ResourceMetrics): unknown {
  return scopeMetrics
    .flatMap(({ metrics }) => metrics)
    .map(({ descriptor, dataPointType, aggregationTemporality, dataPoints }) => ({
      descriptor: { ...descriptor, advice: undefined, type: undefined },
      dataPointType,
      aggregationTemporality,
      points: dataPoints
        .map(({ attributes, value }) => {
          if (typeof value === 'number') return { attributes, value };
          const { sum, count, buckets } = value as { sum: number; count: number; buckets: unknown };
          // Sums are added in another order, so their last digits differ.
          return { attributes, value: { sum: Number(sum.toFixed(8)) + 0, count, buckets } };
        })
        .sort((a, b) => JSON.stringify(a.attributes).localeCompare(JSON.stringify(b.attributes))),
    }))
    .sort((a, b) => a.descriptor.name.localeCompare(b.descriptor.name));
}

function start(temporality: AggregationTemporality) {
  const selectors = { aggregationTemporalitySelector: () => temporality };
  const ofSdk = new Reader(selectors);
  const meter = new MeterProvider({ readers: [ofSdk] }).getMeter('gateway');
  const advice = { explicitBucketBoundaries: [...HISTOGRAM.buckets] };
  const histogram = meter.createHistogram(HISTOGRAM.name, { ...HISTOGRAM, advice });
  const counter = meter.createCounter(COUNTER.name, COUNTER);
  const recorded = createRecorded({ name: 'gateway' });
  const producer = recorded.producerFor(() => ofSdk);
  return {
    recorded,
    histogram,
    counter,
    collect: async () => ({
      ours: pointsOf((await producer.collect()).resourceMetrics),
      theirs: pointsOf((await ofSdk.collect()).resourceMetrics),
    }),
  };
}

const seconds = fc.oneof(
  fc.constantFrom(0, ...HISTOGRAM.buckets),
  fc.integer({ min: 0, max: 400_000 }).map((thousandths) => thousandths / 1000),
);
const tool = fc.constantFrom('crm_get', 'crm_list', null);
const recording = fc.record({ seconds, tool, errorType: fc.constantFrom(null, 'tool_error', '500') });
const rounds = fc.array(fc.array(recording, { maxLength: 12 }), { minLength: 1, maxLength: 4 });

describe.each([
  ['cumulative', AggregationTemporality.CUMULATIVE],
  ['delta', AggregationTemporality.DELTA],
])('%s', (_, temporality) => {
  test('totals are those of the SDK for the same values', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        const { recorded, histogram, counter, collect } = start(temporality);
        for (const round of all) {
          for (const one of round) {
            recorded.record('operationDuration', one.seconds, 'tools/call', one.tool, one.errorType);
            histogram.record(one.seconds, {
              'mcp.method.name': 'tools/call',
              ...(one.tool === null ? {} : { 'gen_ai.tool.name': one.tool }),
              ...(one.errorType === null ? {} : { 'error.type': one.errorType }),
            });
            recorded.record('toolCalls', 1, 'crm', one.tool, 'ok', 'ok');
            counter.add(1, {
              'gateway.service': 'crm',
              ...(one.tool === null ? {} : { 'gen_ai.tool.name': one.tool }),
              'gateway.outcome': 'ok',
              'gateway.outcome.category': 'ok',
            });
          }
          const { ours, theirs } = await collect();
          expect(ours).toEqual(theirs);
        }
      }),
      { numRuns: numRuns(60) },
    );
  });
});

test('two delta readers do not take values from each other', async () => {
  const recorded = createRecorded({ name: 'gateway' });
  const delta = { selectAggregationTemporality: () => AggregationTemporality.DELTA };
  const [one, other] = [recorded.producerFor(() => delta), recorded.producerFor(() => delta)];
  const read = async (producer: typeof one) => {
    const [metric] = (await producer.collect()).resourceMetrics.scopeMetrics[0]?.metrics ?? [];
    return metric?.dataPoints.map(({ value }) => value);
  };
  recorded.record('limitRefusals', 1, 'user_calls', null);
  expect(await read(one)).toEqual([1]);
  recorded.record('limitRefusals', 1, 'user_calls', null);
  expect(await read(one)).toEqual([1]);
  expect(await read(other)).toEqual([2]);
  expect(await read(one)).toBeUndefined();
});

test('a metric has at most 2,000 series, and the last holds the rest', async () => {
  const recorded = createRecorded({ name: 'gateway' });
  const producer = recorded.producerFor(() => ({
    selectAggregationTemporality: () => AggregationTemporality.CUMULATIVE,
  }));
  for (let index = 0; index < 2500; index += 1) recorded.record('limitRefusals', 1, `limit ${index}`, null);
  const [metric] = (await producer.collect()).resourceMetrics.scopeMetrics[0]?.metrics ?? [];
  expect(metric?.dataPoints).toHaveLength(2000);
  const last = metric?.dataPoints.at(-1);
  expect(last).toMatchObject({ attributes: { 'otel.metric.overflow': true }, value: 501 });
});
