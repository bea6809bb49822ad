/** The table of daily counts: the kind of count, its key, and the number. It holds no values of calls, no users and no partners. */

import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { countRows } from '../../base/store/rows.ts';
import type { Database, Executor } from '../../base/store/schema.ts';
import { column, defineTables, type RowsOf } from '../../base/store/tables/table-set.ts';

/**
 * - `usage`: a call of a tool. Key: the name that was called, a place and a facet; see `observe`.
 * - `drift`: an answer that differs from its descriptor. Key: tool, place and JSON type; see `Drift`.
 * - `old_name`: a call by an old name. Key: the old name.
 *
 * A tab separates the parts of a key.
 */
type TallyKind = 'usage' | 'drift' | 'old_name';

/** A count of one day. */
export interface Tally {
  /** Start of the day (UTC). */
  readonly day: number;
  readonly kind: TallyKind;
  readonly key: string;
  readonly count: number;
}

export const TALLY_TABLES = defineTables(
  'tallies',
  {
    tallies: {
      columns: {
        /** SHA-256 of day, kind and key as base64url: a key may be longer than what PostgreSQL indexes. */
        id: 'text primary key',
        /** Start of the day (UTC). */
        day: 'bigint not null',
        kind: column<TallyKind>('text not null'),
        key: 'text not null',
        count: 'bigint not null',
      },
      indexes: {
        tallies_by_time: '(day)',
        tallies_by_kind: '(kind, day)',
      },
    },
  },
  { baseline: '0003-baseline', replaces: '0002-earlier-counts' },
);

declare module '../../base/store/schema.ts' {
  interface Database extends RowsOf<typeof TALLY_TABLES> {}
}

/** Maximum rows per day. Beyond it, existing counts still grow, but nothing new is counted. */
const MAX_ROWS_PER_DAY = 200_000;

/** Adds to the counts of one day or several. */
export async function addTallies(executor: Executor, tallies: readonly Tally[]): Promise<void> {
  for (const [day, dayTallies] of Map.groupBy(tallies, (tally) => tally.day)) {
    const rows = dayTallies
      .map((tally) => ({ ...tally, id: hash('sha256', `${tally.day}\t${tally.kind}\t${tally.key}`, 'base64url') }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const count = await countRows(executor.selectFrom('tallies').where('day', '=', day));
    const countableRows = count < MAX_ROWS_PER_DAY ? rows : await onlyExisting(executor, rows);
    if (countableRows.length === 0) continue;
    await executor
      .insertInto('tallies')
      .values(countableRows)
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ count: sql`tallies.count + excluded.count` }))
      .execute();
  }
}

async function onlyExisting(executor: Executor, rows: readonly Database['tallies'][]): Promise<Database['tallies'][]> {
  const ids = rows.map(({ id }) => id);
  const existingRows = await executor.selectFrom('tallies').select('id').where('id', 'in', ids).execute();
  const existingIds = new Set(existingRows.map(({ id }) => id));
  return rows.filter(({ id }) => existingIds.has(id));
}

/** The sum of one key over several days. */
interface TallySum {
  readonly key: string;
  readonly count: number;
  /** Start of the last day (UTC) with a count. */
  readonly lastDay: number;
}

/**
 * Sums up the counts of one kind by key, the most frequent first.
 *
 * @param span.since and `until` milliseconds since 1970; `until` is not included.
 * @param span.prefix only keys that begin with it. Default: all.
 */
export async function sumTallies(
  executor: Executor,
  kind: TallyKind,
  { since, until, prefix = '' }: { readonly since: number; readonly until: number; readonly prefix?: string },
): Promise<TallySum[]> {
  const rows = await executor
    .selectFrom('tallies')
    .select(['key', ({ fn }) => fn.sum('count').as('sum'), ({ fn }) => fn.max('day').as('lastDay')])
    .where('kind', '=', kind)
    .where('day', '>=', since)
    .where('day', '<', until)
    .where(sql`substr(key, 1, ${sql.lit(prefix.length)})`, '=', prefix)
    .groupBy('key')
    .orderBy('sum', 'desc')
    .orderBy('key')
    .execute();
  return rows.map(({ key, sum, lastDay }) => ({ key, count: Number(sum), lastDay: Number(lastDay) }));
}
