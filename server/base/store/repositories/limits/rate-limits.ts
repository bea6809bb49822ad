/** Rate-limit counts that all gateways share. PostgreSQL only: with SQLite, one process serves and counts in memory. */

import { sql } from 'kysely';
import type { Executor } from '../../schema.ts';

/** Uses to add to the window of a key. */
export interface Uses {
  readonly key: string;
  /** Negative: uses to take back. */
  readonly uses: number;
  /** Length of a window, in milliseconds. */
  readonly windowMs: number;
  /** Time left in a window that begins with these uses, in milliseconds. */
  readonly leftMs: number;
}

/** The current count of a window. */
export interface CountedUses {
  readonly uses: number;
  /** Time until the window ends, in milliseconds. */
  readonly leftMs: number;
}

/** A table of counts, and its columns other than `key`. */
export interface CountTable {
  readonly name: 'rate_limits' | 'upstream_rates';
  readonly uses: string;
  /** Milliseconds since 1970. */
  readonly endsAt: string;
}

const RATE_LIMITS: CountTable = { name: 'rate_limits', uses: 'uses', endsAt: 'expires_at' };

/** Requests to upstreams, by connection. */
export const UPSTREAM_RATES: CountTable = { name: 'upstream_rates', uses: 'points', endsAt: 'expire' };

/**
 * Adds uses, in one statement.
 *
 * A window that ends more than two window lengths from now comes from a gateway with a wrong clock, and counts as over.
 * Keys are locked in sorted order, so that concurrent gateways do not deadlock.
 *
 * @param all no key twice. Nothing is taken back from a key without a window.
 * @param now milliseconds since 1970.
 * @returns the count of each window after that, exact under any concurrency.
 */
export async function addUses(
  executor: Executor,
  all: readonly Uses[],
  now: number,
  { name, ...columns }: CountTable = RATE_LIMITS,
): Promise<ReadonlyMap<string, CountedUses>> {
  const table = sql.table(name);
  const used = sql.ref(columns.uses);
  const endsAt = sql.ref(columns.endsAt);
  const latest = now + 2 * Math.max(0, ...all.map(({ windowMs }) => windowMs));
  const isOver = sql`(held.${endsAt} <= ${now}::bigint or held.${endsAt} > ${latest}::bigint)`;
  const columnArrays = [all.map(({ key }) => key), all.map(({ uses }) => uses), all.map(({ leftMs }) => now + leftMs)];
  const { rows } = await sql<{ key: string; uses: number; expires_at: number }>`
    insert into ${table} as held (key, ${used}, ${endsAt})
    select sent.key, sent.uses, sent.expires_at
    from unnest(${columnArrays[0]}::text[], ${columnArrays[1]}::int[], ${columnArrays[2]}::bigint[]) as sent (key, uses, expires_at)
    where sent.uses > 0 or exists (select from ${table} as known where known.key = sent.key)
    order by sent.key
    on conflict (key) do update set
      ${used} = greatest(0, excluded.${used} + case when ${isOver} then 0 else held.${used} end),
      ${endsAt} = case when ${isOver} then excluded.${endsAt} else held.${endsAt} end
    returning key, ${used} as uses, ${endsAt} as expires_at`.execute(executor);
  return new Map(rows.map(({ key, uses, expires_at }) => [key, { uses, leftMs: expires_at - now }]));
}
