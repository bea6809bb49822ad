/** Removes one connection of a user, for the partner, the user or an operator. */

import { tell } from '../../base/store/events.ts';
import { deleteAttemptsOfUser } from '../../base/store/repositories/connection-attempts.ts';
import { deleteConnection, findConnection } from '../../base/store/repositories/connections.ts';
import { keepUser, type User } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { ManagementEvent } from './manage.ts';

/**
 * Removes a connection with its credential: its tools disappear at once. A connect flow for the service that waits for
 * the partner is removed too, so that it cannot restore the connection. Needs a transaction.
 *
 * @returns false when there is no such connection.
 */
export async function removeUserConnection(
  transaction: Executor,
  user: User,
  service: string,
  change: ManagementEvent & { readonly by: 'operator' | 'partner' | 'user' },
): Promise<boolean> {
  const { by, ...event } = change;
  const { id: userId, partnerId, externalUserId } = user;
  if ((await keepUser(transaction, { id: userId })) === undefined) return false;
  await deleteAttemptsOfUser(transaction, { partnerId, externalUserId, service });
  const connection = await findConnection(transaction, userId, service);
  if (connection === undefined || !(await deleteConnection(transaction, userId, service))) return false;
  await tell(transaction, {
    type: 'connection_removed',
    partnerId,
    userId,
    service,
    connectionId: connection.id,
    by,
    details: { service, by },
    ...event,
  });
  return true;
}
