/** Measures servers in turn, round after round, so that other load on the machine affects all of them alike. */

import type { Table } from '../table.ts';
import type { Load } from './load-process.ts';
import { median, type Section, withRange } from './report.ts';
import type { RunningSubject } from './server-process.ts';
import { BARE, type Subject } from './subjects.ts';
import { toTarget, type Workload } from './workloads.ts';

/** One server, one workload, one number of clients, one round. */
interface Sample {
  /** Requests per second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the server's process per request, in microseconds. */
  readonly cpu: number;
  /** Resident memory of the server's process afterwards, in bytes. */
  readonly resident: number;
  readonly answerBytes: number;
  /** The longest stop of the server's event loop, in milliseconds. */
  readonly loopMax: number;
  /** See `LoadFigures.share`. */
  readonly generatorShare: number;
}

/** All rounds of one server with one number of clients. */
export interface Series {
  readonly subject: Subject;
  readonly workload: Workload;
  readonly clients: number;
  readonly samples: readonly Sample[];
}

export interface Plan {
  readonly rounds: number;
  /** Length of each sample. */
  readonly milliseconds: number;
  /** Warm-up of each server, before the first round. */
  readonly warmUpMilliseconds: number;
  readonly clients: readonly number[];
}

type Running = ReadonlyMap<Subject, RunningSubject>;

/** Measures every server of one workload. */
export async function measureWorkload(load: Load, workload: Workload, running: Running, plan: Plan): Promise<Series[]> {
  for (const server of running.values()) {
    await load.open(toTarget(workload, server, 16));
    await load.run(plan.warmUpMilliseconds);
    await load.close();
  }
  const rows = plan.clients.flatMap((clients) =>
    [...running].map(([subject, server]) => ({
      subject,
      server,
      workload,
      clients,
      samples: [] as Sample[],
    })),
  );
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const row of rows) row.samples.push(await measureOnce(load, row, plan.milliseconds));
  }
  return rows;
}

async function measureOnce(
  load: Load,
  { workload, server, clients }: Pick<Series, 'workload' | 'clients'> & { readonly server: RunningSubject },
  milliseconds: number,
): Promise<Sample> {
  await load.open(toTarget(workload, server, clients));
  await load.run(milliseconds / 5);
  const before = await server.usage();
  const { requests, seconds, p50, p99, share, answerBytes } = await load.run(milliseconds);
  const after = await server.usage();
  await load.close();
  return {
    rate: requests / seconds,
    p50,
    p99,
    cpu: (after.cpuMicroseconds - before.cpuMicroseconds) / requests,
    resident: after.residentBytes,
    answerBytes,
    loopMax: after.loopMax,
    generatorShare: share,
  };
}

/** Of a core. Above it, rates are those of the load generator. */
const MAX_GENERATOR_SHARE = 0.9;

const HEADS = [
  'server',
  'clients',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'longest stop ms',
  'CPU µs',
  'x bare',
  'rate x bare',
  'memory MB',
  'answer KB',
];

/** One row per server and client count: medians of the rounds, with minimum and maximum where they matter. */
function toTable(series: readonly Series[]): Table {
  return [HEADS, ...series.map((row) => toRow(row, bareOf(series, row)))];
}

/** What a row is compared with: the bare server with the same client count. */
function bareOf(series: readonly Series[], { clients }: Series): Series | null {
  return series.find((row) => row.subject.name === BARE && row.clients === clients) ?? null;
}

/** One figure from all rounds. */
function figures({ samples }: Series, figure: keyof Sample): number[] {
  return samples.map((sample) => sample[figure]);
}

function toRow(row: Series, bare: Series | null): string[] {
  const of = (figure: keyof Sample): number[] => figures(row, figure);
  const ratio = (figure: keyof Sample): string =>
    bare === null ? '' : medianRatio(of(figure), figures(bare, figure)).toFixed(2);
  return [
    row.subject.title,
    String(row.clients),
    withRange(of('rate'), 0),
    median(of('p50')).toFixed(2),
    withRange(of('p99'), 2),
    withRange(of('loopMax'), 1),
    withRange(of('cpu'), 0),
    ratio('cpu'),
    ratio('rate'),
    (median(of('resident')) / 1e6).toFixed(0),
    (median(of('answerBytes')) / 1e3).toFixed(1),
  ];
}

/** The median of the ratios of each round. */
function medianRatio(values: readonly number[], bases: readonly number[]): number {
  return median(values.map((value, round) => value / (bases[round] ?? Number.NaN)));
}

/** All servers and client counts of one workload. */
export function toWorkloadSection(
  { name, title, revision, tools }: Workload,
  series: readonly Series[],
  rounds: number,
): Section {
  const shares = series.map((row) => ({ title: row.subject.title, share: median(figures(row, 'generatorShare')) }));
  const busiest = shares.reduce((most, one) => (one.share > most.share ? one : most));
  return {
    name,
    title: `${title}, ${revision}, ${tools} tools, ${rounds} rounds`,
    table: toTable(series),
    note:
      `The load generator used at most ${(busiest.share * 100).toFixed(0)} % of a core (${busiest.title}).` +
      (busiest.share > MAX_GENERATOR_SHARE
        ? ' Rates and latencies are those of the generator: compare CPU times.'
        : ''),
  };
}
