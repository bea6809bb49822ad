/** Suspends, resumes and removes partners: the dashboard and the command line both do it here. */

import type { Kysely } from 'kysely';
import { recordAuditEvent } from '../store/repositories/audit-events.ts';
import { deletePartner, findPartner, setPartnerSuspended } from '../store/repositories/partners.ts';
import { listUsers } from '../store/repositories/users.ts';
import type { Database, Executor } from '../store/schema.ts';
import { eraseUser } from './forget-user.ts';
import type { ManagementEvent } from './manage.ts';

/** Users that one transaction removes: few enough that others need not wait for it. */
const USERS_PER_TRANSACTION = 50;

/**
 * Suspends a partner. From then on its secrets do nothing, and its users' tokens are refused by every node; nothing is
 * revoked. Needs a transaction.
 *
 * @returns false when it is suspended already, or there is no such partner.
 */
export async function suspendPartner(transaction: Executor, id: string, event: ManagementEvent): Promise<boolean> {
  if (!(await setPartnerSuspended(transaction, id, event.now))) return false;
  await recordAuditEvent(transaction, { type: 'partner_suspended', partnerId: id, ...event });
  return true;
}

/**
 * Resumes a suspended partner: everything that has not expired or been revoked meanwhile works again. Needs a transaction.
 *
 * @returns false when it is not suspended, or there is no such partner.
 */
export async function resumePartner(transaction: Executor, id: string, event: ManagementEvent): Promise<boolean> {
  if (!(await setPartnerSuspended(transaction, id, null))) return false;
  await recordAuditEvent(transaction, { type: 'partner_resumed', partnerId: id, ...event });
  return true;
}

/**
 * Removes a partner with its secrets, issuers and users, and everything of them: connections, credentials, grants, tokens
 * and codes. Audit events and call records stay, without a name of a user.
 *
 * It is suspended first, so that nothing new comes into being, and its users go some at a time. A removal that was cut
 * off is finished by another.
 *
 * @returns how many users went with it; null when there is no such partner.
 */
export async function removePartner(db: Kysely<Database>, id: string, event: ManagementEvent): Promise<number | null> {
  await db.transaction().execute((transaction) => suspendPartner(transaction, id, event));
  let users = 0;
  for (;;) {
    const removed = await db.transaction().execute((transaction) => removeSomeUsers(transaction, id));
    if (removed === 0) break;
    users += removed;
  }
  return db.transaction().execute(async (transaction) => {
    const partner = await findPartner(transaction, id);
    if (partner === undefined || !(await deletePartner(transaction, id))) return null;
    const { clientId, name } = partner;
    const details = { clientId, name, users };
    await recordAuditEvent(transaction, { type: 'partner_removed', partnerId: id, details, ...event });
    return users;
  });
}

async function removeSomeUsers(transaction: Executor, partnerId: string): Promise<number> {
  const users = await listUsers(transaction, { partnerId, limit: USERS_PER_TRANSACTION });
  for (const user of users) await eraseUser(transaction, user);
  return users.length;
}
