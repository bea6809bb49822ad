/** Sums over call records for charts: how many calls, how many failed, how long they took. */

import { sql } from 'kysely';
import type { Realm } from '../../realm.ts';
import { isInRealm } from '../in-realm.ts';
import { callOrder } from '../repositories/calls/call-order.ts';
import { DURATION_BANDS_MS } from '../repositories/calls/call-tallies.ts';
import type { Executor } from '../schema.ts';
import { isInCategory, sumInCategory } from './call-category.ts';

/** Calls of one group. */
export interface CallTally {
  readonly calls: number;
  /** Calls that failed, and calls that wait for their user (see `callCategory`). The others have a result, or were denied. */
  readonly failed: number;
  readonly waiting: number;
  /** Calls per band of `DURATION_BANDS_MS`. */
  readonly durations: readonly number[];
}

/** A time span: `since` is inclusive, `until` exclusive. Milliseconds since 1970. */
export interface TimeSpan {
  readonly since: number;
  readonly until: number;
}

/** The calls to count: those that began in the span. */
export interface CallSpan extends TimeSpan {
  /** Only of this realm. Default: of both. */
  readonly realm?: Realm | undefined;
}

/** Tallies for `count` slices, earliest first, including empty slices. @param sliceMs their length. Default: they are equal, and fill the span. */
export async function tallyCallsOverTime(
  executor: Executor,
  span: CallSpan,
  count: number,
  sliceMs = (span.until - span.since) / count,
): Promise<CallTally[]> {
  const rows = await tally(executor, span)
    .select(
      sql<number>`cast(floor((created_at - ${sql.lit(span.since)}) / ${sql.lit(sliceMs)}) as integer)`.as('slice'),
    )
    .groupBy('slice')
    .execute();
  const slices = collect(rows.map(({ slice, ...row }) => ({ ...row, group: Number(slice) })));
  return Array.from({ length: count }, (_, slice) => slices.get(slice) ?? EMPTY);
}

/** Tallies by tool, most called first. */
export async function tallyCallsByTool(
  executor: Executor,
  span: CallSpan,
): Promise<(CallTally & { readonly tool: string })[]> {
  const rows = await tally(executor, span).select('tool').groupBy('tool').execute();
  const tools = collect(rows.map(({ tool, ...row }) => ({ ...row, group: tool })));
  return [...tools].map(([tool, sums]) => ({ tool, ...sums })).sort((a, b) => b.calls - a.calls);
}

/** Failed calls by service and outcome, most frequent first. */
export async function countFailures(
  executor: Executor,
  span: CallSpan,
  limit: number,
): Promise<{ readonly service: string; readonly outcome: string; readonly calls: number }[]> {
  const rows = await callsIn(executor, span)
    .select(['service', 'outcome', ({ fn }) => fn.countAll().as('calls')])
    .where(isInCategory('failed', sql.ref('outcome')))
    .groupBy(['service', 'outcome'])
    .orderBy('calls', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, calls: Number(row.calls) }));
}

/**
 * Estimates a quantile of the durations, in milliseconds, by linear interpolation within a band.
 *
 * @param share between 0 and 1.
 * @returns null if there were no calls.
 */
export function durationQuantile({ calls, durations }: CallTally, share: number): number | null {
  if (calls === 0) return null;
  const targetCount = calls * share;
  let countBelow = 0;
  for (const [band, inBand] of durations.entries()) {
    if (inBand > 0 && countBelow + inBand >= targetCount) {
      const from = DURATION_BANDS_MS[band - 1] ?? 0;
      const to = DURATION_BANDS_MS[band] ?? from;
      return Math.round(from + ((to - from) * (targetCount - countBelow)) / inBand);
    }
    countBelow += inBand;
  }
  return null;
}

const EMPTY: CallTally = { calls: 0, failed: 0, waiting: 0, durations: DURATION_BANDS_MS.map(() => 0) };

interface BandRow<Group> {
  readonly group: Group;
  readonly band: number;
  readonly calls: number | string | bigint;
  readonly failed: number | string | bigint;
  readonly waiting: number | string | bigint;
}

/** Calls and errors per band; the caller adds the grouping. */
function tally(executor: Executor, span: CallSpan) {
  const bands = DURATION_BANDS_MS.slice(0, -1).map((bound, band) => `when duration_ms < ${bound} then ${band}`);
  const band = sql<number>`case ${sql.raw(bands.join(' '))} else ${sql.lit(bands.length)} end`;
  return callsIn(executor, span)
    .select([
      band.as('band'),
      ({ fn }) => fn.countAll().as('calls'),
      sumInCategory('failed').as('failed'),
      sumInCategory('waiting').as('waiting'),
    ])
    .groupBy('band');
}

function callsIn(executor: Executor, { since, until, realm }: CallSpan) {
  const order = callOrder(executor);
  const calls = executor.selectFrom('call_records as r').where(order.since(since)).where(order.until(until));
  return realm === undefined ? calls : calls.where(isInRealm(realm, 'partner_id'));
}

function collect<Group>(rows: readonly BandRow<Group>[]): Map<Group, CallTally> {
  const groups = new Map<Group, { calls: number; failed: number; waiting: number; durations: number[] }>();
  for (const { group, band, calls, failed, waiting } of rows) {
    const sums = groups.get(group) ?? { calls: 0, failed: 0, waiting: 0, durations: DURATION_BANDS_MS.map(() => 0) };
    sums.calls += Number(calls);
    sums.failed += Number(failed);
    sums.waiting += Number(waiting);
    sums.durations[Number(band)] = (sums.durations[Number(band)] ?? 0) + Number(calls);
    groups.set(group, sums);
  }
  return groups;
}
