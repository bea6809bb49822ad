/** Switches that an operator sets for every gateway of the store. The token lookup reads them with each request. */

import { emit } from '../events.ts';
import { hasRow } from '../rows.ts';
import type { Executor } from '../schema.ts';
import { endStanding } from './calls/approvals.ts';

/** Returns the time since which nothing may write, in milliseconds since 1970. Null if calls may write. */
export async function readWritingStopped(executor: Executor): Promise<number | null> {
  const row = await executor
    .selectFrom('switches')
    .select('set_at')
    .where('name', '=', 'writing_stopped')
    .executeTakeFirst();
  return row?.set_at ?? null;
}

/**
 * Stops everything that writes, or allows it again. Stopping also ends the approvals of all calls of a tool. Needs a transaction.
 *
 * @returns false if nothing changed.
 */
export async function setWritingStopped(
  transaction: Executor,
  isStopped: boolean,
  event: { readonly now: number; readonly address?: string; readonly requestId?: string; readonly operator?: string },
): Promise<boolean> {
  const name = 'writing_stopped';
  const isChanged = isStopped
    ? await hasRow(
        transaction
          .insertInto('switches')
          .values({ name, set_at: event.now })
          .onConflict((conflict) => conflict.column('name').doNothing())
          .returning('name'),
      )
    : await hasRow(transaction.deleteFrom('switches').where('name', '=', name).returning('name'));
  if (isStopped) await endStanding(transaction);
  if (isChanged) await emit(transaction, { type: isStopped ? 'writing_stopped' : 'writing_resumed', ...event });
  return isChanged;
}
