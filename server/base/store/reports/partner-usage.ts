/** Sums a partner's calls in groups, from its tallies. */

import { type SqlBool, sql } from 'kysely';
import { DURATION_BANDS_MS } from '../repositories/calls/call-tallies.ts';
import type { Executor } from '../schema.ts';
import { sumInCategory } from './call-category.ts';
import type { CallTally, TimeSpan } from './call-statistics.ts';
import type { CallCriteria } from './partner-calls.ts';

/** Dimensions that calls can be grouped by, in the sort order of groups. */
export const USAGE_DIMENSIONS = ['day', 'service', 'tool', 'outcome'] as const;
export type UsageDimension = (typeof USAGE_DIMENSIONS)[number];

/** The key of a group; `day` is when the day begins (milliseconds since 1970). */
export type UsageGroup = Readonly<Partial<Record<UsageDimension, string | number>>>;

/** The calls that are summed, and their groups. */
interface UsageFilter extends CallCriteria {
  /** Begins and ends at the beginning of a day. */
  readonly span: TimeSpan;
  /** At least one, in the order of `USAGE_DIMENSIONS`. */
  readonly by: readonly UsageDimension[];
  /** Only groups that sort after this one. */
  readonly after?: UsageGroup | undefined;
}

const COLUMNS: Readonly<Record<UsageDimension, string>> = {
  day: 'created_at',
  service: 'service',
  tool: 'tool',
  outcome: 'outcome',
};

/** The first `limit` groups. */
export async function sumUsage(
  executor: Executor,
  { partnerId, span, by, after, ...filter }: UsageFilter,
  limit: number,
): Promise<(CallTally & { readonly group: UsageGroup })[]> {
  const columns = sql.join(by.map((name) => sql.ref(COLUMNS[name])));
  const bands = DURATION_BANDS_MS.map(
    (_, band) => sql`sum(case when band = ${sql.lit(band)} then calls else 0 end) as ${sql.ref(`b${band}`)}`,
  );
  const conditions = [
    sql<SqlBool>`partner_id = ${partnerId} and created_at >= ${span.since} and created_at < ${span.until}`,
    ...Object.entries(filter).flatMap(([name, value]) =>
      value === undefined ? [] : [sql<SqlBool>`${sql.ref(name)} = ${value}`],
    ),
  ];
  if (after !== undefined) conditions.push(sql`(${columns}) > (${sql.join(by.map((name) => after[name]))})`);
  const { rows } = await sql<Readonly<Record<string, string | number>>>`
    select ${columns}, sum(calls) as calls, ${sumInCategory('failed', sql.ref('calls'))} as failed,
           ${sumInCategory('waiting', sql.ref('calls'))} as waiting, ${sql.join(bands)}
      from call_tallies where ${sql.join(conditions, sql` and `)}
     group by ${columns} order by ${columns} limit ${sql.lit(limit)}`.execute(executor);
  return rows.map((row) => ({
    group: Object.fromEntries(by.map((name) => [name, name === 'day' ? Number(row.created_at) : (row[name] ?? '')])),
    calls: Number(row.calls),
    failed: Number(row.failed),
    waiting: Number(row.waiting),
    durations: DURATION_BANDS_MS.map((_, band) => Number(row[`b${band}`])),
  }));
}
