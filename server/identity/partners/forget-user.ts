/** Removes a user: everything that the gateway stores about it, and its name from records that are kept. */

import { goneReference } from '../../base/store/audit-chain/signing.ts';
import { recordAuditEvent } from '../../base/store/repositories/audit-events.ts';
import { deleteSessionsOfUser } from '../../base/store/repositories/connect/connect-sessions.ts';
import { deleteAttemptsOfUser } from '../../base/store/repositories/connection-attempts.ts';
import { appendPartnerEvent, sealUserInEvents } from '../../base/store/repositories/events/partner-events.ts';
import { replaceUserReference } from '../../base/store/repositories/user-references.ts';
import { deleteUser, type User } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';

/**
 * Removes a user with its connections, credentials, grants, tokens and codes; tokens are revoked at once.
 *
 * Audit events and call records stay, under an anonymous reference derived from the row id, which is deleted. The partner
 * gets one event for the user, and none for each of its connections and grants. Needs a transaction.
 *
 * @returns false when there is no such user.
 */
export async function forgetUser(
  transaction: Executor,
  user: User,
  event: { now: number; address?: string | null; requestId?: string | null },
): Promise<boolean> {
  const { partnerId, externalUserId } = user;
  const reference = await eraseUser(transaction, user);
  if (reference === null) return false;
  const removed = { partnerId, userId: reference, externalUserId, isGone: true, data: {}, now: event.now };
  await appendPartnerEvent(transaction, { type: 'user.removed', ...removed });
  await recordAuditEvent(transaction, { type: 'user_removed', partnerId, userId: reference, ...event });
  return true;
}

/** The removal without its events. @returns the reference that replaces the user from now on; null: there was no such user. */
export async function eraseUser(transaction: Executor, user: User): Promise<string | null> {
  if (!(await deleteUser(transaction, user.id))) return null;
  const reference = goneReference(user.id);
  await sealUserInEvents(transaction, { ...user, reference });
  await deleteAttemptsOfUser(transaction, user);
  await deleteSessionsOfUser(transaction, user);
  await replaceUserReference(transaction, user.id, reference);
  return reference;
}
