/** Removes and renames connections of a user, for the partner, the user or an operator. */

import { emit } from '../../base/store/events.ts';
import { deleteAttemptsOfUser } from '../../base/store/repositories/connection-attempts.ts';
import { deleteConnection, listAccounts, renameAccount } from '../../base/store/repositories/connections.ts';
import { keepUser, type User } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { ManagementEvent } from './manage.ts';

/**
 * Removes a connection with its credential, or those of all accounts of a service: its tools disappear at once. A connect flow for the service that waits for
 * the partner is removed too, so that it cannot restore the connection. Needs a transaction.
 *
 * @param connection.id row id. Default: all accounts of the service.
 * @returns false when there is no such connection.
 */
export async function removeUserConnection(
  transaction: Executor,
  user: User,
  { service, id }: { readonly service: string; readonly id?: string },
  change: ManagementEvent & { readonly by: 'operator' | 'partner' | 'user' },
): Promise<boolean> {
  const { by, ...event } = change;
  const { id: userId, partnerId, externalUserId } = user;
  if ((await keepUser(transaction, { id: userId })) === undefined) return false;
  await deleteAttemptsOfUser(transaction, { partnerId, externalUserId, service });
  const accounts = await listAccounts(transaction, userId, service);
  let isRemoved = false;
  for (const { id: connectionId, accountName } of accounts) {
    if (id !== undefined && connectionId !== id) continue;
    if (!(await deleteConnection(transaction, userId, connectionId))) continue;
    isRemoved = true;
    const details = { service, by };
    await emit(transaction, {
      type: 'connection_removed',
      partnerId,
      userId,
      service,
      connectionId,
      accountName,
      by,
      details,
      ...event,
    });
  }
  return isRemoved;
}

/** Renames one of several accounts of a service. Needs a transaction. @returns as `renameAccount`. */
export async function renameUserAccount(
  transaction: Executor,
  { id: userId, partnerId }: User,
  { id, service, name }: { readonly id: string; readonly service: string; readonly name: string },
  { by, ...event }: ManagementEvent & { readonly by: 'partner' | 'user' },
): ReturnType<typeof renameAccount> {
  const outcome = await renameAccount(transaction, { userId, id, name });
  if (outcome !== 'renamed') return outcome;
  await emit(transaction, { type: 'connection_renamed', partnerId, userId, details: { service, by }, ...event });
  return outcome;
}
