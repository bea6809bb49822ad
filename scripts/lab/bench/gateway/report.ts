/** Prints the measurements: tables for a terminal, or for `docs/explanations/performance.md`. */

import type { ManyToolsFigures, Spent } from './many-tools.ts';
import type { Series } from './measure.ts';
import type { MemoryFigure } from './memory.ts';
import type { ProfilePart } from './profile.ts';
import type { ScaleSample } from './scale.ts';
import { median } from './statistics.ts';
import { figures, toTable, withRange } from './table.ts';
import { type Table, toMarkdown, toText } from './text-table.ts';

/** Prints one table. */
export type Print = (section: Section) => void;

export interface Section {
  /** Name of the markers around the table in the documentation. */
  readonly name: string;
  readonly title: string;
  readonly table: Table;
  /** A sentence below the table. */
  readonly note?: string;
}

/** Parts of a profile below this share of the time are combined into one row. */
const MIN_SHARE = 0.01;

/** @param markdown true: prints tables with the documentation's markers around them. */
export function createPrint(markdown: boolean): Print {
  return ({ name, title, table, note }) => {
    const below = note === undefined ? '' : `\n${markdown ? '\n' : ''}${note}`;
    const text = markdown
      ? `<!-- bench:${name} -->\n\n${title}:\n\n${toMarkdown(table)}${below}\n\n<!-- /bench:${name} -->`
      : `${title}\n${toText(table)}${below}`;
    process.stdout.write(`\n${text}\n`);
  };
}

/** All servers and client counts of one workload. */
export function toWorkloadSection(series: readonly Series[]): Section | null {
  const [first] = series;
  if (first === undefined) return null;
  const { name, title, revision, tools } = first.workload;
  const shares = series.map((row) => ({ title: row.subject.title, share: median(figures(row, 'generatorShare')) }));
  const busiest = shares.reduce((most, one) => (one.share > most.share ? one : most));
  return {
    name,
    title: `${title}, ${revision}, ${tools} tools, ${first.samples.length} rounds`,
    table: toTable(series),
    note: `The load generator used at most ${(busiest.share * 100).toFixed(0)} % of a core (${busiest.title}).`,
  };
}

/** @param cpu CPU time of one request, in microseconds. */
export function toProfileSection(name: string, title: string, parts: readonly ProfilePart[], cpu: number): Section {
  const shown = parts.filter(({ share }) => share >= MIN_SHARE);
  const rest = parts.reduce((sum, { share }) => sum + share, 0) - shown.reduce((sum, { share }) => sum + share, 0);
  const rows = [...shown, { name: 'all others', share: rest }];
  return {
    name: `profile-${name}`,
    title,
    table: [
      ['part', '%', 'µs'],
      ...rows.map((row) => [row.name, (row.share * 100).toFixed(1), (row.share * cpu).toFixed(0)]),
    ],
  };
}

export function toStartSection(starts: readonly number[]): Section {
  return {
    name: 'start',
    title: 'From the start of the process to its first answer',
    table: [
      ['tools', 'ms'],
      ['64', withRange(starts, 0)],
    ],
  };
}

export function toMemorySection(read: readonly MemoryFigure[], users: number): Section {
  const [first] = read;
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
  const growth = ({ residentBytes }: MemoryFigure): string =>
    first === undefined ? '' : (residentBytes / first.residentBytes).toFixed(2);
  return {
    name: 'memory',
    title: `Memory of a gateway on SQLite whose ${users} users call tools in turn`,
    table: [
      ['calls', 'resident MB', 'x first', 'live heap MB'],
      ...read.map((one) => [String(one.calls), megabytes(one.residentBytes), growth(one), megabytes(one.liveBytes)]),
    ],
  };
}

export function toManyToolsSection(figures: ManyToolsFigures): Section {
  const { tools, lists, unknownNames, start, list, unknownName, residentBytes } = figures;
  const row = (title: string, { clock, cpu }: Spent): string[] => [title, clock.toFixed(2), cpu.toFixed(2), ''];
  return {
    name: 'list',
    title: `${tools} tools in one gateway on SQLite, one request after another`,
    table: [
      ['', 'ms', 'CPU ms', 'memory MB'],
      row('start, to the end of the first list', start),
      [...row(`one page of the list, of ${lists}`, list).slice(0, 3), (residentBytes / 1e6).toFixed(0)],
      row(`a call of an unknown name, of ${unknownNames}`, unknownName),
    ],
  };
}

export function toScaleSection(samples: readonly ScaleSample[], cores: number): Section {
  const counts = [...new Set(samples.map(({ processes }) => processes))];
  const of = (processes: number, figure: keyof ScaleSample): number[] =>
    samples.filter((sample) => sample.processes === processes).map((sample) => sample[figure]);
  const single = median(of(counts[0] ?? 1, 'rate'));
  return {
    name: 'scale',
    title: 'tools/call on gateways that share one PostgreSQL server, 64 clients',
    table: [
      ['gateways', 'calls/s', 'x one', 'p50 ms', 'p99 ms', 'CPU µs'],
      ...counts.map((processes) => [
        String(processes),
        withRange(of(processes, 'rate'), 0),
        (median(of(processes, 'rate')) / single).toFixed(2),
        median(of(processes, 'p50')).toFixed(1),
        withRange(of(processes, 'p99'), 1),
        withRange(of(processes, 'cpu'), 0),
      ]),
    ],
    note: `This machine has ${cores} cores, for gateways, PostgreSQL, upstream and load generator together.`,
  };
}
