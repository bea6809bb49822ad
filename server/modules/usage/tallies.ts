/** Daily sums of tool usage: names from the published schema and classes of values. No values, users or partners. */

import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { createTables, type TableSet } from '../../base/store/migrations/table-set.ts';
import type { Executor } from '../../base/store/schema.ts';

/** Usage of tools; see `UsageTally`. */
interface UsageTalliesTable {
  /** SHA-256 of day, tool, place and facet as base64url. */
  key: string;
  /** When the day (UTC) begins. */
  created_at: number;
  tool: string;
  place: string;
  facet: string;
  calls: number;
  /** The four words of a `PartnerSketch`. */
  partners_0: number;
  partners_1: number;
  partners_2: number;
  partners_3: number;
}

declare module '../../base/store/schema.ts' {
  interface Database {
    usage_tallies: UsageTalliesTable;
  }
}

const baseline = createTables(
  () => `
create table usage_tallies (
  key text primary key,
  created_at bigint not null,
  tool text not null,
  place text not null,
  facet text not null,
  calls bigint not null,
  partners_0 bigint not null,
  partners_1 bigint not null,
  partners_2 bigint not null,
  partners_3 bigint not null
);
create index usage_tallies_by_time on usage_tallies (created_at);`,
);

export const USAGE_TABLES: TableSet = {
  owner: 'usage',
  tables: ['usage_tallies'],
  migrations: { '0001-baseline': baseline },
};

/** Calls of one day that share one facet. */
export interface UsageTally {
  /** Day, tool, place and facet. */
  readonly key: string;
  /** When the day (UTC) begins. */
  readonly day: number;
  /** The name that was called. */
  readonly tool: string;
  /** Such as `filter.status`; empty for the call as a whole. */
  readonly place: string;
  /** `calls`, `outcome:<outcome>`, `class:<class>` or `member:<value>`. */
  readonly facet: string;
  readonly calls: number;
  /** A sketch of the partners that made them; see `withPartner`. */
  readonly partners: PartnerSketch;
}

/**
 * Four words of 52 bits. Each partner sets one bit, so their number can be estimated (linear counting), sketches of
 * several days can be merged, and no partner can be identified.
 */
export type PartnerSketch = readonly number[];

const WORDS = 4;
const WORD_BITS = 52;
const BITS = WORDS * WORD_BITS;

export const NO_PARTNERS: PartnerSketch = Array.from({ length: WORDS }, () => 0);

/** Maximum rows per day. Beyond it, existing sums still grow, but nothing new is counted. */
const MAX_ROWS_PER_DAY = 200_000;

/** Builds the sketch of one partner, from an empty one. */
export function withPartner(empty: PartnerSketch, partnerId: string): PartnerSketch {
  const bit = Number.parseInt(hash('sha256', partnerId).slice(0, 8), 16) % BITS;
  return empty.map((word, index) => (index === Math.floor(bit / WORD_BITS) ? word + 2 ** (bit % WORD_BITS) : word));
}

/** The numbers of the bits that are set in any of the sketches. */
export function bitsOf(sketches: Iterable<PartnerSketch>): ReadonlySet<number> {
  const bits = new Set<number>();
  for (const sketch of sketches) {
    for (const [index, word] of sketch.entries()) {
      for (let bit = 0; bit < WORD_BITS; bit += 1) {
        if (Math.floor(word / 2 ** bit) % 2 === 1) bits.add(index * WORD_BITS + bit);
      }
    }
  }
  return bits;
}

/** Estimates the number of partners from the bits set: mostly within 10 % up to 200 partners; 1,110 at most. */
export function estimatePartners(bits: number): number {
  return Math.round(-BITS * Math.log(1 - Math.min(bits, BITS - 1) / BITS));
}

/** Adds the rows, of one day or several, to the existing sums. */
export async function addUsage(executor: Executor, rows: readonly UsageTally[]): Promise<void> {
  for (const [day, ofDay] of Map.groupBy(rows, (row) => row.day)) {
    const { count } = await executor
      .selectFrom('usage_tallies')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('created_at', '=', day)
      .executeTakeFirstOrThrow();
    const known = Number(count) < MAX_ROWS_PER_DAY ? null : await knownKeys(executor, ofDay);
    const taken = known === null ? ofDay : ofDay.filter(({ key }) => known.has(hash('sha256', key, 'base64url')));
    if (taken.length > 0) await upsert(executor, taken);
  }
}

async function knownKeys(executor: Executor, rows: readonly UsageTally[]): Promise<ReadonlySet<string>> {
  const keys = rows.map(({ key }) => hash('sha256', key, 'base64url'));
  const known = await executor.selectFrom('usage_tallies').select('key').where('key', 'in', keys).execute();
  return new Set(known.map(({ key }) => key));
}

async function upsert(executor: Executor, rows: readonly UsageTally[]): Promise<void> {
  const values = rows
    .map(({ key, day, tool, place, facet, calls, partners: [p0 = 0, p1 = 0, p2 = 0, p3 = 0] }) => {
      const words = { partners_0: p0, partners_1: p1, partners_2: p2, partners_3: p3 };
      return { key: hash('sha256', key, 'base64url'), created_at: day, tool, place, facet, calls, ...words };
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  await executor
    .insertInto('usage_tallies')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        calls: sql`usage_tallies.calls + excluded.calls`,
        partners_0: sql`usage_tallies.partners_0 | excluded.partners_0`,
        partners_1: sql`usage_tallies.partners_1 | excluded.partners_1`,
        partners_2: sql`usage_tallies.partners_2 | excluded.partners_2`,
        partners_3: sql`usage_tallies.partners_3 | excluded.partners_3`,
      }),
    )
    .execute();
}

/** The rows of a day. @param day when it begins. */
export async function listUsage(executor: Executor, day: number): Promise<Omit<UsageTally, 'key'>[]> {
  const rows = await executor.selectFrom('usage_tallies').selectAll().where('created_at', '=', day).execute();
  return rows.map(({ tool, place, facet, calls, partners_0, partners_1, partners_2, partners_3 }) => ({
    day,
    tool,
    place,
    facet,
    calls: Number(calls),
    partners: [partners_0, partners_1, partners_2, partners_3].map(Number),
  }));
}
