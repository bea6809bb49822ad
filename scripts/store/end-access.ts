/** Ends the access that a restored backup brings back: it does not include what was revoked, used or replaced since. */

import type { Kysely } from 'kysely';
import { tell } from '../../server/base/store/events.ts';
import { type AccessCounts, countAccess } from '../../server/base/store/repositories/live-access.ts';
import type { Database } from '../../server/base/store/schema.ts';
import { revokeAccess } from '../../server/identity/grants/allowed/revoke.ts';
import { endSessions } from '../../server/modules/admin/operators.ts';

/** How many of each were ended. */
export interface EndedAccess extends AccessCounts {
  /** Unused links and other single-use codes. */
  readonly links: number;
  /** Connect sessions, and connections made in them that no partner has redeemed. */
  readonly connectFlows: number;
  readonly operatorSessions: number;
}

/** Partners continue reading after the last event they saw, so numbers that were used must not be used again. */
const EVENT_NUMBERS_LEFT_OUT = 1_000_000_000;

/**
 * Revokes every grant, token and code, removes unfinished connect flows, ends the sessions of operators, and records an audit event. If
 * interrupted, it can be called again to finish.
 *
 * @param now milliseconds since 1970.
 */
export async function endAccess(db: Kysely<Database>, now: number): Promise<EndedAccess> {
  await leaveOutEventNumbers(db);
  const revoked = await revokeAccess(db, {}, { by: 'operator', now });
  return db.transaction().execute(async (transaction) => {
    const links = await transaction
      .updateTable('single_use_codes')
      .set({ consumed_at: now })
      .where('consumed_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    const attempts = await transaction
      .deleteFrom('connection_attempts')
      .where('redeemed_at', 'is', null)
      .executeTakeFirst();
    const sessions = await transaction
      .deleteFrom('connect_sessions')
      .where('redeemed_at', 'is', null)
      .executeTakeFirst();
    const ended = {
      ...revoked,
      links: Number(links.numUpdatedRows),
      connectFlows: Number(attempts.numDeletedRows + sessions.numDeletedRows),
      operatorSessions: await endSessions(transaction, { notId: null }, { now }),
    };
    await tell(transaction, { type: 'store_restored', now, details: { ...ended } });
    return ended;
  });
}

/** Counts what `endAccess` would end now. */
export async function countEndable(db: Kysely<Database>, now: number): Promise<EndedAccess> {
  const { links, attempts, sessions, operatorSessions } = await db
    .selectNoFrom(({ selectFrom, fn }) => [
      selectFrom('single_use_codes')
        .select(fn.countAll<number>().as('n'))
        .where('consumed_at', 'is', null)
        .where('expires_at', '>', now)
        .where('purpose', '<>', 'connection')
        .as('links'),
      selectFrom('connection_attempts')
        .select(fn.countAll<number>().as('n'))
        .where('redeemed_at', 'is', null)
        .as('attempts'),
      selectFrom('connect_sessions')
        .select(fn.countAll<number>().as('n'))
        .where('redeemed_at', 'is', null)
        .as('sessions'),
      selectFrom('operator_sessions').select(fn.countAll<number>().as('n')).as('operatorSessions'),
    ])
    .executeTakeFirstOrThrow();
  return {
    ...(await countAccess(db, {}, now)),
    links: links ?? 0,
    connectFlows: (attempts ?? 0) + (sessions ?? 0),
    operatorSessions: operatorSessions ?? 0,
  };
}

async function leaveOutEventNumbers(db: Kysely<Database>): Promise<void> {
  await db
    .insertInto('partner_event_heads')
    .columns(['partner_id', 'seq'])
    .expression(({ selectFrom, val }) =>
      selectFrom('partners')
        .select(['id', val(EVENT_NUMBERS_LEFT_OUT).as('seq')])
        .where('id', 'is not', null),
    )
    .onConflict((conflict) =>
      conflict
        .column('partner_id')
        .doUpdateSet((row) => ({ seq: row('partner_event_heads.seq', '+', row.ref('excluded.seq')) })),
    )
    .execute();
}
