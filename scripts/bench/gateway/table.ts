/** Writes what was measured as tables, for a terminal or for a page of the documentation. */

import type { Sample, Series } from './measure.ts';
import { median, medianRatio } from './statistics.ts';
import { BARE } from './subjects.ts';

/** Rows of cells, the first of them the heads. */
export type Table = readonly (readonly string[])[];

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

/** One row a server and number of clients: medians of the rounds, with the least and the most where they matter. */
export function toTable(series: readonly Series[]): Table {
  return [HEADS, ...series.map((row) => toRow(row, bareOf(series, row)))];
}

/** What a row is compared with: the bare server of the same workload and clients. */
export function bareOf(series: readonly Series[], { workload, clients }: Series): Series | null {
  const isBase = (row: Series): boolean =>
    row.subject.name === BARE && row.workload === workload && row.clients === clients;
  return series.find(isBase) ?? null;
}

/** One figure of all rounds. */
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

/** The median with the least and the most, such as `24 (22-31)`. */
export function withRange(values: readonly number[], digits: number): string {
  const middle = median(values).toFixed(digits);
  return values.length < 2
    ? middle
    : `${middle} (${Math.min(...values).toFixed(digits)}-${Math.max(...values).toFixed(digits)})`;
}

/** Columns aligned with spaces, the first to the left. */
export function toText(table: Table): string {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return table.map(line).join('\n');
}

export function toMarkdown([heads = [], ...rows]: Table): string {
  const rule = heads.map((_, column) => (column === 0 ? '---' : '---:'));
  return [heads, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
