/** Refreshes of connections: the holder and outcome of each, and the connections that are due. */

import { sql } from 'kysely';
import { isForeignKeyViolation } from '../../conflicts.ts';
import { accountKeysOf, columns, hasRow, withService } from '../../rows.ts';
import type { ConnectionStatus, Executor } from '../../schema.ts';

/** A connection with the state of its refreshes. */
export interface RefreshableConnection {
  readonly status: ConnectionStatus;
  /** Null for an open service. */
  readonly sealedCredential: string | null;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** Consecutive attempts that returned no tokens. */
  readonly failures: number;
  /** No attempt before this time, in milliseconds since 1970; 0: at once. */
  readonly retryAt: number;
  /** Time at which a refresh last returned tokens, in milliseconds since 1970. 0 if none has. */
  readonly lastRefreshAt: number;
}

/** @returns undefined if the connection was removed. */
export async function findRefreshable(executor: Executor, id: string): Promise<RefreshableConnection | undefined> {
  return executor
    .selectFrom('connections as c')
    .leftJoin('connection_refreshes as r', 'r.connection_id', 'c.id')
    .select(columns('c.status', 'c.sealed_credential', 'c.updated_at'))
    .select(({ fn, lit }) => [
      fn.coalesce('r.failures', lit(0)).as('failures'),
      fn.coalesce('r.retry_at', lit(0)).as('retryAt'),
      fn.coalesce('r.refreshed_at', lit(0)).as('lastRefreshAt'),
    ])
    .where('c.id', '=', id)
    .executeTakeFirst();
}

/**
 * Takes the refresh of a connection, unless another holder has it. One statement decides between concurrent callers.
 *
 * @param hold.until when another may take it; milliseconds since 1970.
 * @returns false too if the connection was removed.
 */
export async function holdRefresh(
  executor: Executor,
  hold: { connectionId: string; holder: string; now: number; until: number },
): Promise<boolean> {
  const { connectionId, holder, now, until } = hold;
  const claimQuery = executor
    .insertInto('connection_refreshes')
    .values({ connection_id: connectionId, holder, held_until: until, failures: 0, retry_at: 0, refreshed_at: 0 })
    .onConflict((conflict) =>
      conflict
        .column('connection_id')
        .doUpdateSet({ holder, held_until: until })
        .where((row) =>
          row.or([row('connection_refreshes.holder', 'is', null), row('connection_refreshes.held_until', '<=', now)]),
        ),
    )
    .returning('connection_id');
  try {
    return await hasRow(claimQuery);
  } catch (error) {
    if (isForeignKeyViolation(error)) return false;
    throw error;
  }
}

/** Ends a hold and stores the outcome of the attempt; does nothing if the hold was lost. */
export async function releaseRefresh(
  executor: Executor,
  hold: { connectionId: string; holder: string },
  outcome: { failures: number; retryAt: number } | null,
): Promise<void> {
  const changes =
    outcome === null ? { holder: null } : { holder: null, failures: outcome.failures, retry_at: outcome.retryAt };
  await executor
    .updateTable('connection_refreshes')
    .set(changes)
    .where('connection_id', '=', hold.connectionId)
    .where('holder', '=', hold.holder)
    .execute();
}

/**
 * Replaces the used credential by the refreshed one. Needs a transaction.
 *
 * @returns false if the connection was replaced, marked or removed meanwhile.
 */
export async function saveRefreshed(
  transaction: Executor,
  refreshed: { id: string; updatedAt: number; sealed: string; hasRefreshToken: boolean; now: number },
): Promise<boolean> {
  const { id, updatedAt, sealed, hasRefreshToken, now } = refreshed;
  const changed = await transaction
    .updateTable('connections')
    .set({
      sealed_credential: sealed,
      updated_at: Math.max(now, updatedAt + 1),
      refreshed_at: hasRefreshToken ? now : null,
    })
    .where('id', '=', id)
    .where('status', '=', 'active')
    .where('updated_at', '=', updatedAt)
    .returning('id')
    .executeTakeFirst();
  if (changed === undefined) return false;
  await transaction
    .updateTable('connection_refreshes')
    .set({ holder: null, failures: 0, retry_at: 0, refreshed_at: now })
    .where('connection_id', '=', id)
    .execute();
  return true;
}

/** Removes the refresh state of a replaced credential. */
export async function forgetRefreshes(executor: Executor, connectionId: string): Promise<void> {
  await executor.deleteFrom('connection_refreshes').where('connection_id', '=', connectionId).execute();
}

/** A connection whose refresh token has not been used for a long time. */
export interface IdleConnection {
  readonly connectionId: string;
  readonly partnerId: string;
  readonly userId: string;
  readonly externalUserId: string;
  readonly service: string;
  readonly sealedCredential: string;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

/** Active connections of a service whose refresh token was last used before `idleSince`: of each partner its longest idle, then the next. */
export async function listIdleConnections(
  executor: Executor,
  { service, idleSince, now, limit }: { service: string; idleSince: number; now: number; limit: number },
): Promise<IdleConnection[]> {
  const rows = await executor
    .selectFrom('connections as c')
    .innerJoin('users as u', 'u.id', 'c.user_id')
    .leftJoin('connection_refreshes as r', 'r.connection_id', 'c.id')
    .select(['c.id as connectionId', ...columns('u.partner_id', 'c.user_id', 'c.service', 'c.updated_at')])
    .select(columns('u.external_user_id', 'c.sealed_credential'))
    .where('c.service', 'in', accountKeysOf(service))
    .where('c.refreshed_at', '<', idleSince)
    .where('c.status', '=', 'active')
    .where(({ fn, eb, lit }) => eb(fn.coalesce('r.retry_at', lit(0)), '<=', now))
    .orderBy(sql`row_number() over (partition by u.partner_id order by coalesce(r.failures, 0), c.refreshed_at)`)
    .orderBy('c.refreshed_at')
    .limit(limit)
    .execute();
  return rows.flatMap(({ sealedCredential, ...row }) =>
    sealedCredential === null ? [] : withService({ ...row, sealedCredential }),
  );
}
