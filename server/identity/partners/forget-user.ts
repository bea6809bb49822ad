/** Removes a user: everything that the gateway stores about it, and its name from records that are kept. */

import { emit } from '../../base/store/events.ts';
import { deleteSessionsOfUser } from '../../base/store/repositories/connect/connect-sessions.ts';
import { deleteAttemptsOfUser } from '../../base/store/repositories/connection-attempts.ts';
import { listConnections } from '../../base/store/repositories/connections.ts';
import { deleteUser, goneReference, replaceUserReference, type User } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { ManagementEvent } from './manage.ts';

/**
 * Removes a user with its connections, credentials, grants, tokens and codes; tokens are revoked at once.
 *
 * Audit events and call records stay, under an anonymous reference derived from the row id, which is deleted. The partner
 * gets one event for the user, and none for each of its connections and grants. Needs a transaction.
 *
 * The removal has three layers. `deleteUser` deletes the row and, by foreign keys, what refers to it. `eraseUser` also deletes or renames rows
 * that name the user without a foreign key, and tells modules by `user_erased`. `forgetUser` adds `user_removed`, which the audit trail and the partner hear.
 *
 * @returns false when there is no such user.
 */
export async function forgetUser(transaction: Executor, user: User, event: ManagementEvent): Promise<boolean> {
  const { partnerId, externalUserId } = user;
  const reference = await eraseUser(transaction, user, event.now);
  if (reference === null) return false;
  await emit(transaction, { type: 'user_removed', partnerId, userId: reference, externalUserId, ...event });
  return true;
}

/** Removes a user without the event `user_removed`. @returns the reference that replaces the user, or null if there was no such user. */
export async function eraseUser(transaction: Executor, user: User, now: number): Promise<string | null> {
  const connections = await listConnections(transaction, user.id);
  if (!(await deleteUser(transaction, user.id))) return null;
  const reference = goneReference(user.id);
  const { id: formerId, partnerId, externalUserId } = user;
  const connectionIds = connections.map(({ id }) => id);
  const removed = { partnerId, userId: reference, formerId, externalUserId, connectionIds };
  await emit(transaction, { type: 'user_erased', ...removed, now });
  await deleteAttemptsOfUser(transaction, user);
  await deleteSessionsOfUser(transaction, user);
  await replaceUserReference(transaction, user.id, reference);
  return reference;
}
