/** Slots for concurrent requests of a connection, shared by all gateways. */

import { sql } from 'kysely';
import type { Executor } from '../../schema.ts';

/** A slot and its holder. */
export interface HeldSlot {
  readonly key: string;
  readonly holder: string;
}

/**
 * Takes one of the `count` slots of a connection in one statement.
 *
 * @param slot.until when a slot that is not given back is free again; milliseconds since 1970.
 * @returns null if none is free, or a concurrent caller took the same slot.
 */
export async function takeSlot(
  executor: Executor,
  slot: { connectionId: string; count: number; holder: string; now: number; until: number },
): Promise<HeldSlot | null> {
  const { connectionId, count, holder, now, until } = slot;
  const keys = Array.from(
    { length: count },
    (_, index) => sql`select cast(${`${connectionId}/${index}`} as text) as key`,
  );
  const { rows } = await sql<{ key: string }>`
    insert into upstream_slots (key, holder, expires_at)
    select slot.key, cast(${holder} as text), cast(${until} as bigint)
    from (${sql.join(keys, sql` union all `)}) as slot
    where not exists (select 1 from upstream_slots as held where held.key = slot.key and held.expires_at > ${now})
    order by random() limit 1
    on conflict (key) do update set holder = excluded.holder, expires_at = excluded.expires_at
    where upstream_slots.expires_at <= ${now}
    returning key`.execute(executor);
  const [taken] = rows;
  return taken === undefined ? null : { key: taken.key, holder };
}

/** Gives a slot back, unless another holder has it by now. */
export async function releaseSlot(executor: Executor, { key, holder }: HeldSlot): Promise<void> {
  await executor.deleteFrom('upstream_slots').where('key', '=', key).where('holder', '=', holder).execute();
}
