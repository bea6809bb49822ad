/** The performance goals of this gateway, and whether a run reached them. */

import { bareOf, figures, MAX_GENERATOR_SHARE, type Sample, type Series } from './measure.ts';
import type { MemoryFigure } from './memory.ts';
import { median, medianRatio } from './report.ts';

/** What one run measured; empty for parts that were left out. */
export interface Measured {
  readonly series: readonly Series[];
  /** Milliseconds of each start. */
  readonly starts: readonly number[];
  readonly memory: readonly MemoryFigure[];
  /** CPU time of a call with metrics and 1 % of traces, relative to one without; null: not measured. */
  readonly sampled: number | null;
  /** p99 of one service while the upstream of another hangs, relative to p99 without; null: not measured. */
  readonly hanging: number | null;
}

interface Goal {
  readonly title: string;
  /** Null: not measured in this run, or the load generator was the limit. */
  readonly measured: number | null;
  readonly bound: { readonly atMost: number } | { readonly atLeast: number };
  readonly unit: string;
}

const CLIENTS = 16;

/** Judges every goal by the median of the run. */
export function judgeGoals({ series, starts, memory, sampled, hanging }: Measured): Goal[] {
  const ratio = (subject: string, workload: string, figure: keyof Sample): number | null => {
    const row = series.find(
      (one) => one.subject.name === subject && one.workload.name === workload && one.clients === CLIENTS,
    );
    const bare = row === undefined ? null : bareOf(series, row);
    if (row === undefined || bare === null) return null;
    const isGenerator =
      Math.max(...figures(bare, 'generatorShare'), ...figures(row, 'generatorShare')) > MAX_GENERATOR_SHARE;
    return isGenerator && figure !== 'cpu' ? null : medianRatio(figures(row, figure), figures(bare, figure));
  };
  const [first, last] = [memory[0], memory.at(-1)];
  const growth = first === undefined || last === undefined ? null : last.residentBytes / first.residentBytes;
  return [
    {
      title: 'CPU time of a tools/call on SQLite',
      measured: ratio('gateway-sqlite', 'call', 'cpu'),
      bound: { atMost: 3.5 },
      unit: 'x bare',
    },
    {
      title: 'CPU time of a tools/call on PostgreSQL',
      measured: ratio('gateway-postgres', 'call', 'cpu'),
      bound: { atMost: 6 },
      unit: 'x bare',
    },
    {
      title: 'p99 of a tools/call on SQLite',
      measured: ratio('gateway-sqlite', 'call', 'p99'),
      bound: { atMost: 3 },
      unit: 'x bare',
    },
    {
      title: 'tools/list of 1,000 tools a second',
      measured: ratio('gateway-sqlite', 'list-1000', 'rate'),
      bound: { atLeast: 0.9 },
      unit: 'x bare',
    },
    {
      title: `memory after ${last?.calls ?? 200_000} calls`,
      measured: growth,
      bound: { atMost: 1.1 },
      unit: `x that after ${first?.calls ?? 20_000}`,
    },
    {
      title: 'start to first answer',
      measured: starts.length === 0 ? null : median(starts),
      bound: { atMost: 500 },
      unit: 'ms',
    },
    {
      title: 'CPU time of a tools/call with metrics and 1 % of traces',
      measured: sampled,
      bound: { atMost: 1.1 },
      unit: 'x without',
    },
    {
      title: 'p99 of a tools/call while the upstream of another service hangs',
      measured: hanging,
      bound: { atMost: 1.5 },
      unit: 'x without',
    },
  ];
}

export function isMissed({ measured, bound }: Goal): boolean {
  if (measured === null) return false;
  return 'atMost' in bound ? measured > bound.atMost : measured < bound.atLeast;
}

/** One line per goal. */
export function formatGoals(goals: readonly Goal[]): string {
  return goals.map((goal) => `${verdictOf(goal).padEnd(13)} ${goal.title}: ${toFigures(goal)}`).join('\n');
}

function verdictOf(goal: Goal): string {
  if (goal.measured === null) return 'not measured';
  return isMissed(goal) ? 'missed' : 'met';
}

function toFigures({ measured, bound, unit }: Goal): string {
  const wanted = 'atMost' in bound ? `at most ${bound.atMost}` : `at least ${bound.atLeast}`;
  return measured === null ? `${wanted} ${unit}` : `${Number(measured.toPrecision(3))} ${unit} (${wanted})`;
}
