/** The table of daily counts: what kind of thing, which one, and how often. No values of calls, no users, no partners. */

import { hash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { createTables, hasTable, type TableSet } from '../../base/store/migrations/table-set.ts';
import type { Executor } from '../../base/store/schema.ts';

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
  /** When the day (UTC) begins. */
  readonly day: number;
  readonly kind: TallyKind;
  readonly key: string;
  readonly count: number;
}

interface TalliesTable extends Tally {
  /** SHA-256 of day, kind and key as base64url: a key may be longer than what PostgreSQL indexes. */
  readonly id: string;
}

declare module '../../base/store/schema.ts' {
  interface Database {
    tallies: TalliesTable;
  }
}

const baseline = createTables(
  () => `
create table tallies (
  id text primary key,
  day bigint not null,
  kind text not null,
  key text not null,
  count bigint not null
);
create index tallies_by_time on tallies (day);
create index tallies_by_kind on tallies (kind, day);`,
);

/** Copies the counts of the tables that earlier versions had. Those tables stay as they are. */
const earlierCounts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    if (await hasTable(db, 'usage_tallies')) {
      await sql`
        insert into tallies (id, day, kind, key, count)
        select key, created_at, 'usage', tool || ${'\t'} || place || ${'\t'} || facet, calls from usage_tallies`.execute(
        db,
      );
    }
    if (await hasTable(db, 'drift_tallies')) {
      await sql`
        insert into tallies (id, day, kind, key, count)
        select min(key), created_at, 'drift', tool || ${'\t'} || place || ${'\t'} || found, sum(answers)
        from drift_tallies group by created_at, tool, place, found`.execute(db);
    }
  },
};

export const TALLY_TABLES: TableSet = {
  owner: 'tallies',
  tables: ['tallies'],
  migrations: { '0001-baseline': baseline, '0002-earlier-counts': earlierCounts },
};

/** Maximum rows per day. Beyond it, existing counts still grow, but nothing new is counted. */
const MAX_ROWS_PER_DAY = 200_000;

/** Adds to the counts of one day or several. */
export async function addTallies(executor: Executor, tallies: readonly Tally[]): Promise<void> {
  for (const [day, ofDay] of Map.groupBy(tallies, (tally) => tally.day)) {
    const rows = ofDay.map((tally) => ({ ...tally, id: idOf(tally) })).sort((a, b) => (a.id < b.id ? -1 : 1));
    const { count } = await executor
      .selectFrom('tallies')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('day', '=', day)
      .executeTakeFirstOrThrow();
    const counted = Number(count) < MAX_ROWS_PER_DAY ? rows : await onlyKnown(executor, rows);
    if (counted.length === 0) continue;
    await executor
      .insertInto('tallies')
      .values(counted)
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ count: sql`tallies.count + excluded.count` }))
      .execute();
  }
}

function idOf({ day, kind, key }: Tally): string {
  return hash('sha256', `${day}\t${kind}\t${key}`, 'base64url');
}

async function onlyKnown(executor: Executor, rows: readonly TalliesTable[]): Promise<TalliesTable[]> {
  const ids = rows.map(({ id }) => id);
  const known = await executor.selectFrom('tallies').select('id').where('id', 'in', ids).execute();
  const knownIds = new Set(known.map(({ id }) => id));
  return rows.filter(({ id }) => knownIds.has(id));
}

/** One thing, counted over several days. */
interface TallySum {
  readonly key: string;
  readonly count: number;
  /** When the last day (UTC) with a count begins. */
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
