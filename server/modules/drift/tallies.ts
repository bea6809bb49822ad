/** Sums of answers that differ from their output schemas, by day, place and type. No values. */

import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { createTables, type TableSet } from '../../base/store/migrations/table-set.ts';
import type { Executor } from '../../base/store/schema.ts';

/** Answers that differ from their output schemas; see `DriftTally`. */
interface DriftTalliesTable {
  /** SHA-256 of all columns but `answers` as base64url. */
  key: string;
  /** When the day (UTC) begins. */
  created_at: number;
  service: string;
  tool: string;
  definition: string;
  place: string;
  keyword: string;
  found: string;
  answers: number;
}

declare module '../../base/store/schema.ts' {
  interface Database {
    drift_tallies: DriftTalliesTable;
  }
}

const baseline = createTables(
  () => `
create table drift_tallies (
  key text primary key,
  created_at bigint not null,
  service text not null,
  tool text not null,
  definition text not null,
  place text not null,
  keyword text not null,
  found text not null,
  answers bigint not null
);
create index drift_tallies_by_time on drift_tallies (created_at);`,
);

export const DRIFT_TABLES: TableSet = {
  owner: 'drift',
  tables: ['drift_tallies'],
  migrations: { '0001-baseline': baseline },
};

/** Answers of one day that differ in the same way. */
export interface DriftTally {
  /** Hash of all members but the number. */
  readonly key: string;
  /** When the day (UTC) begins. */
  readonly day: number;
  readonly service: string;
  readonly tool: string;
  /** Digest of the tool's definition: each definition is counted separately. Empty: not known. */
  readonly definition: string;
  /** JSON pointer into the answer; `*` replaces indexes, and names that are not in the published schema. */
  readonly place: string;
  /** The schema keyword that fails. */
  readonly keyword: string;
  /** JSON type of the actual value, or `absent`. */
  readonly found: string;
  readonly answers: number;
}

/** Maximum rows per day; beyond it, nothing new is counted. */
const MAX_ROWS_PER_DAY = 20_000;

/** Adds the rows to the existing sums. */
export async function addDrift(executor: Executor, rows: readonly DriftTally[]): Promise<void> {
  for (const [day, ofDay] of Map.groupBy(rows, (row) => row.day)) {
    const { count } = await executor
      .selectFrom('drift_tallies')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('created_at', '=', day)
      .executeTakeFirstOrThrow();
    const taken = ofDay.slice(0, Math.max(0, MAX_ROWS_PER_DAY - Number(count)));
    if (taken.length === 0) continue;
    const values = taken.map(({ key, day: created_at, ...row }) => {
      return { ...row, key: hash('sha256', key, 'base64url'), created_at };
    });
    await executor
      .insertInto('drift_tallies')
      .values(values.sort((a, b) => (a.key < b.key ? -1 : 1)))
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({ answers: sql`drift_tallies.answers + excluded.answers` }),
      )
      .execute();
  }
}

/** One way in which answers of one definition differ, over several days. */
export interface DriftSum extends Omit<DriftTally, 'key' | 'day'> {
  /** The last day (UTC) on which it was seen, as the time when that day begins. */
  readonly lastDay: number;
}

/** The most frequent first. @param since milliseconds since 1970. */
export async function listDrift(
  executor: Executor,
  { since, limit, service }: { readonly since: number; readonly limit: number; readonly service?: string },
): Promise<DriftSum[]> {
  const of = ['service', 'tool', 'definition', 'place', 'keyword', 'found'] as const;
  let query = executor
    .selectFrom('drift_tallies')
    .select(of)
    .select(({ fn }) => [fn.sum('answers').as('answers'), fn.max('created_at').as('lastDay')])
    .where('created_at', '>=', since)
    .groupBy(of)
    .orderBy('answers', 'desc')
    .orderBy('tool')
    .orderBy('place')
    .orderBy('found')
    .limit(limit);
  if (service !== undefined) query = query.where('service', '=', service);
  const rows = await query.execute();
  return rows.map((row) => ({ ...row, answers: Number(row.answers), lastDay: Number(row.lastDay) }));
}
