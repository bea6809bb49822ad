/** Uses of what is limited, counted by all gateways together. PostgreSQL only: SQLite is in one process, which counts itself. */

import { sql } from 'kysely';
import type { Executor } from '../../schema.ts';

/** Uses to add to the window of a key. */
export interface Uses {
  readonly key: string;
  /** Less than 0: taken back. */
  readonly uses: number;
  /** How long a window of the key is, in milliseconds. */
  readonly windowMs: number;
  /** How long the one lasts that begins with these uses. */
  readonly leftMs: number;
}

/** What a window holds now. */
export interface CountedUses {
  readonly uses: number;
  /** Until the window ends. */
  readonly leftMs: number;
}

/**
 * Adds uses, in one statement.
 *
 * A window that ends later than two of its length from now was begun by a gateway with a wrong clock, and is over too. Keys are locked in
 * their order, so that gateways that count at the same time do not wait for each other in a ring.
 *
 * @param all no key twice. Of a key that has no window nothing is taken back. @param now milliseconds since 1970.
 * @returns what the window of each holds then; exact, however many gateways count at once.
 */
export async function addUses(
  executor: Executor,
  all: readonly Uses[],
  now: number,
): Promise<ReadonlyMap<string, CountedUses>> {
  const latest = now + 2 * Math.max(0, ...all.map(({ windowMs }) => windowMs));
  const isOver = sql`(held.expires_at <= ${now}::bigint or held.expires_at > ${latest}::bigint)`;
  const columns = [all.map(({ key }) => key), all.map(({ uses }) => uses), all.map(({ leftMs }) => now + leftMs)];
  const { rows } = await sql<{ key: string; uses: number; expires_at: number }>`
    insert into rate_limits as held (key, uses, expires_at)
    select sent.key, sent.uses, sent.expires_at
    from unnest(${columns[0]}::text[], ${columns[1]}::int[], ${columns[2]}::bigint[]) as sent (key, uses, expires_at)
    where sent.uses > 0 or exists (select from rate_limits as known where known.key = sent.key)
    order by sent.key
    on conflict (key) do update set
      uses = greatest(0, excluded.uses + case when ${isOver} then 0 else held.uses end),
      expires_at = case when ${isOver} then excluded.expires_at else held.expires_at end
    returning key, uses, expires_at`.execute(executor);
  return new Map(rows.map(({ key, uses, expires_at }) => [key, { uses, leftMs: expires_at - now }]));
}
