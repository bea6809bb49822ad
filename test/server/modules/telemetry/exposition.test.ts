import type { MetricData, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { DataPointType } from '@opentelemetry/sdk-metrics';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expose, toFamilyName } from '../../../../server/modules/telemetry/exposition.ts';

const TIMES = { startTime: [0, 0], endTime: [0, 0] };

function metric(parts: object): MetricData {
  return {
    descriptor: { name: 'gateway.tool.calls', unit: '{call}', description: 'Calls.' },
    dataPointType: DataPointType.SUM,
    isMonotonic: true,
    dataPoints: [{ ...TIMES, attributes: {}, value: 3 }],
    ...parts,
  } as unknown as MetricData;
}

function exposed(one: MetricData, attributes = {}): string[] {
  const metrics = { resource: { attributes }, scopeMetrics: [{ metrics: [one] }] } as unknown as ResourceMetrics;
  return expose(metrics).split('\n').slice(3);
}

const DURATION = metric({
  descriptor: { name: 'http.server.request.duration', unit: 's', description: 'Requests.' },
  dataPointType: DataPointType.HISTOGRAM,
  dataPoints: [
    {
      ...TIMES,
      attributes: { 'http.route': '/a' },
      value: { buckets: { boundaries: [0.5, 1], counts: [1, 2, 3] }, count: 6, sum: 9.5 },
    },
  ],
});

describe('the text format', () => {
  test('has counters with _total, and no units', () => {
    expect(exposed(metric({}))).toEqual([
      '# HELP gateway_tool_calls_total Calls.',
      '# TYPE gateway_tool_calls_total counter',
      'gateway_tool_calls_total 3',
      '',
    ]);
  });

  test('has cumulative buckets', () => {
    expect(exposed(DURATION).slice(2)).toEqual([
      'http_server_request_duration_seconds_bucket{http_route="/a",le="0.5"} 1',
      'http_server_request_duration_seconds_bucket{http_route="/a",le="1"} 3',
      'http_server_request_duration_seconds_bucket{http_route="/a",le="+Inf"} 6',
      'http_server_request_duration_seconds_sum{http_route="/a"} 9.5',
      'http_server_request_duration_seconds_count{http_route="/a"} 6',
      '',
    ]);
  });

  test('escapes any label value, so that it can be parsed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const line = exposed(metric({ dataPoints: [{ ...TIMES, attributes: { a: value }, value: 1 }] }))[2] ?? '';
        const [, inside = ''] = /^gateway_tool_calls_total\{a="((?:[^"\\\n]|\\["\\n])*)"\} 1$/.exec(line) ?? [line];
        const read = inside.replaceAll(/\\(.)/g, (_, letter) => (letter === 'n' ? '\n' : letter));
        expect(read).toBe(value);
      }),
    );
  });
});

test.each([
  ['process.memory.usage', 'By', 'process_memory_usage_bytes'],
  ['nodejs.eventloop.utilization', '1', 'nodejs_eventloop_utilization_ratio'],
  ['http.server.active_requests', '{request}', 'http_server_active_requests'],
])('%s in %s becomes %s', (name, unit, want) => {
  expect(toFamilyName({ name, unit })).toBe(want);
});
