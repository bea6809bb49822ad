/** `npm run lab -- bench telemetry`: measures the CPU time that metrics and traces add to a call. */

import { CALLERS, SHIPPED_TOOLS, startGateway } from './gateway/gateway-process.ts';
import { figures, measureWorkload, type Plan, type Sample, type Series } from './gateway/measure.ts';
import { median, medianRatio, type Section, withRange } from './gateway/report.ts';
import { type RunningSubject, startServer } from './gateway/server-process.ts';
import { onStage } from './gateway/stage.ts';
import type { Subject } from './gateway/subjects.ts';
import { toTarget, WORKLOADS } from './gateway/workloads.ts';

const SAMPLED = 'metrics, 1 % of traces';

/** The settings that are switched on. The first mode is the one that all others are compared with. */
const MODES: readonly (readonly [title: string, settings: Readonly<Record<string, string>>])[] = [
  ['off', { OTEL_SDK_DISABLED: 'true' }],
  ['metrics', { OTEL_TRACES_EXPORTER: 'none' }],
  [SAMPLED, { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' }],
  ['metrics, all traces', { OTEL_TRACES_SAMPLER: 'always_on' }],
];

/** Rounds, their length, and the number of warm-up calls to each gateway: telemetry code has to be compiled too. */
interface TelemetryPlan extends Pick<Plan, 'rounds' | 'milliseconds'> {
  readonly warmUpCalls: number;
}

/** A common Prometheus scrape interval. */
const METRICS_INTERVAL_MS = 15_000;
const CLIENTS = 16;

/** Per mode: two processes of the same program differ by a tenth, depending on what the JIT compiler made of it. */
const PROCESSES = 8;

/**
 * Measures gateways of each mode in turn, on SQLite, with one upstream and one collector. @returns one row per mode.
 */
export function measureTelemetry(plan: TelemetryPlan): Promise<Series[]> {
  const [workload] = WORKLOADS;
  if (workload === undefined) throw new Error('there is no workload');
  return onStage(async ({ upstream, load, folder, atEnd }) => {
    const collector = await startServer({ file: 'scripts/lab/bench/gateway/servers/collector.ts' });
    atEnd(() => collector.stop());
    const running = new Map<Subject, RunningSubject>();
    for (const [title, settings] of Array.from({ length: PROCESSES }, () => MODES).flat()) {
      const surroundings = { upstream, folder, users: CALLERS, tools: SHIPPED_TOOLS, postgresUrl: null };
      const gateway = await startGateway(
        { ...surroundings, profileFile: null, listFile: '' },
        {
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
          OTEL_METRIC_EXPORT_INTERVAL: String(METRICS_INTERVAL_MS),
          ...settings,
        },
      );
      atEnd(() => gateway.stop());
      await load.open(toTarget(workload, gateway, CLIENTS));
      await load.run({ requests: plan.warmUpCalls });
      await load.close();
      running.set(toSubject(title), gateway);
    }
    const all = await measureWorkload(load, workload, running, {
      ...plan,
      warmUpMilliseconds: plan.milliseconds,
      clients: [CLIENTS],
    });
    return [...Map.groupBy(all, ({ subject }) => subject.title).values()].flatMap(toOne);
  });
}

/** Merges the rows of equal processes: each round is the mean of theirs. */
function toOne([first, ...others]: readonly Series[]): Series[] {
  if (first === undefined) return [];
  const samples = first.samples.map((sample, round) => {
    const rounds = [sample, ...others.flatMap((row) => row.samples[round] ?? [])];
    const mean = (figure: keyof Sample): number => rounds.reduce((sum, one) => sum + one[figure], 0) / rounds.length;
    return { ...sample, cpu: mean('cpu'), p50: mean('p50'), resident: mean('resident') };
  });
  return [{ ...first, samples }];
}

/** CPU time of a call in all modes. */
export function toTelemetrySection(series: readonly Series[]): Section {
  const [off] = series;
  const base = off === undefined ? [] : figures(off, 'cpu');
  return {
    name: 'telemetry',
    title: `tools/call with metrics and traces, ${CLIENTS} clients, ${base.length} rounds of ${PROCESSES} processes each`,
    table: [
      ['telemetry', 'CPU µs', 'x off', 'p50 ms', 'memory MB'],
      ...series.map((row) => [
        row.subject.title,
        withRange(figures(row, 'cpu'), 0),
        medianRatio(figures(row, 'cpu'), base).toFixed(2),
        median(figures(row, 'p50')).toFixed(2),
        (median(figures(row, 'resident')) / 1e6).toFixed(0),
      ]),
    ],
  };
}

/** CPU time with metrics and 1 % of traces, relative to a call without; null: not measured. */
export function toSampledRatio(series: readonly Series[]): number | null {
  const [off] = series;
  const sampled = series.find(({ subject }) => subject.name === SAMPLED);
  return off === undefined || sampled === undefined ? null : medianRatio(figures(sampled, 'cpu'), figures(off, 'cpu'));
}

function toSubject(title: string): Subject {
  return {
    name: title,
    title,
    revisions: [],
    start: () => Promise.reject(new Error('it runs already')),
  };
}
