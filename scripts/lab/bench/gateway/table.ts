/** Formats measurements as tables. */

import type { Sample, Series } from './measure.ts';
import { median, medianRatio } from './statistics.ts';
import { BARE } from './subjects.ts';
import type { Table } from './text-table.ts';

const HEADS = [
  'server',
  'clients',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'CPU µs',
  'x bare',
  'rate x bare',
  'memory MB',
  'answer KB',
];

/** One row per server and client count: medians of the rounds, with minimum and maximum where they matter. */
export function toTable(series: readonly Series[]): Table {
  return [HEADS, ...series.map((row) => toRow(row, bareOf(series, row)))];
}

/** What a row is compared with: the bare server with the same workload and client count. */
export function bareOf(series: readonly Series[], { workload, clients }: Series): Series | null {
  const isBase = (row: Series): boolean =>
    row.subject.name === BARE && row.workload === workload && row.clients === clients;
  return series.find(isBase) ?? null;
}

/** One figure from all rounds. */
export function figures({ samples }: Series, figure: keyof Sample): number[] {
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
    withRange(of('cpu'), 0),
    ratio('cpu'),
    ratio('rate'),
    (median(of('resident')) / 1e6).toFixed(0),
    (median(of('answerBytes')) / 1e3).toFixed(1),
  ];
}

/** The median with minimum and maximum, such as `24 (22-31)`. */
export function withRange(values: readonly number[], digits: number): string {
  const middle = median(values).toFixed(digits);
  return values.length < 2
    ? middle
    : `${middle} (${Math.min(...values).toFixed(digits)}-${Math.max(...values).toFixed(digits)})`;
}
