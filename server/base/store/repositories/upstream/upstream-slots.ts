/** Slots for concurrent requests of connections, shared by all gateways. PostgreSQL only: with SQLite, one gateway counts in memory. */

import { sql } from 'kysely';
import type { Executor } from '../../schema.ts';

/** A slot and its holder. */
export interface HeldSlot {
  readonly key: string;
  readonly holder: string;
}

/** A wish for one of the `count` slots of a connection. */
export interface WantedSlot {
  readonly connectionId: string;
  readonly count: number;
  /** No two wishes have the same. */
  readonly holder: string;
  /** Time at which a slot that is not given back is free again, in milliseconds since 1970. */
  readonly until: number;
}

/**
 * Takes slots in one statement. Connections are locked in sorted order, so that concurrent gateways do not deadlock.
 *
 * @param wanted no connection twice. @param now milliseconds since 1970.
 * @returns the taken slots by holder. It leaves out a holder for whom none was free, or whose slot a concurrent caller took.
 */
export async function takeSlots(
  executor: Executor,
  wanted: readonly WantedSlot[],
  now: number,
): Promise<ReadonlyMap<string, HeldSlot>> {
  const connections = wanted.map(({ connectionId }) => connectionId);
  const counts = wanted.map(({ count }) => count);
  const holders = wanted.map(({ holder }) => holder);
  const ends = wanted.map(({ until }) => until);
  const { rows } = await sql<HeldSlot>`
    insert into upstream_slots (key, holder, expires_at)
    select distinct on (wanted.connection) slot.key, wanted.holder, wanted.until
    from unnest(${connections}::text[], ${counts}::int[], ${holders}::text[], ${ends}::bigint[])
      as wanted (connection, count, holder, until)
    cross join lateral
      (select wanted.connection || '/' || number as key from generate_series(0, wanted.count - 1) as number) as slot
    where not exists (select from upstream_slots as held where held.key = slot.key and held.expires_at > ${now}::bigint)
    order by wanted.connection, random()
    on conflict (key) do update set holder = excluded.holder, expires_at = excluded.expires_at
    where upstream_slots.expires_at <= ${now}::bigint
    returning key, holder`.execute(executor);
  return new Map(rows.map((slot) => [slot.holder, slot]));
}

/** Gives slots back, unless another holder has them by now. */
export async function releaseSlots(executor: Executor, slots: readonly HeldSlot[]): Promise<void> {
  const keys = slots.map(({ key }) => key);
  const holders = slots.map(({ holder }) => holder);
  await sql`
    delete from upstream_slots using unnest(${keys}::text[], ${holders}::text[]) as ended (key, holder)
    where upstream_slots.key = ended.key and upstream_slots.holder = ended.holder`.execute(executor);
}
