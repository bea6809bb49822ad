/** Suspends, resumes and removes partners, and revokes their secrets, for the dashboard and the command line. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { emit } from '../../base/store/events.ts';
import { listPartnerSecrets, lockPartner, revokePartnerSecret } from '../../base/store/repositories/partner-secrets.ts';
import {
  deletePartner,
  findPartner,
  findTestPartner,
  setPartnerSuspended,
} from '../../base/store/repositories/partners.ts';
import { countUsers, listUsers, type User } from '../../base/store/repositories/users.ts';
import type { Database, Executor } from '../../base/store/schema.ts';
import { eraseUser } from './forget-user.ts';
import type { ManagementEvent } from './manage.ts';

/** Users that one transaction removes: few enough to keep other requests from waiting. */
const USERS_PER_TRANSACTION = 50;

/**
 * Suspends a partner with its test partner. From then on every node refuses its secrets and its users' tokens; nothing is revoked.
 * Needs a transaction.
 *
 * @returns false when it is already suspended, or there is no such partner.
 */
export async function suspendPartner(transaction: Executor, id: string, event: ManagementEvent): Promise<boolean> {
  if (!(await setPartnerSuspended(transaction, id, event.now))) return false;
  await emit(transaction, { type: 'partner_suspended', partnerId: id, ...event });
  const test = await findTestPartner(transaction, id);
  if (test !== undefined) await suspendPartner(transaction, test.id, event);
  return true;
}

/**
 * Revokes one secret at once. With its last one the partner is suspended, because it can no longer authenticate. Needs a transaction.
 *
 * @returns false when the partner has no such live secret.
 */
export async function endPartnerSecret(
  transaction: Executor,
  secret: { id: string; partnerId: string },
  event: ManagementEvent,
): Promise<boolean> {
  await lockPartner(transaction, secret.partnerId);
  if (!(await revokePartnerSecret(transaction, { ...secret, now: event.now }))) return false;
  const details = { secretId: secret.id };
  await emit(transaction, {
    type: 'partner_secret_revoked',
    partnerId: secret.partnerId,
    details,
    ...event,
  });
  const remaining = await listPartnerSecrets(transaction, secret.partnerId);
  if (remaining.length === 0) await suspendPartner(transaction, secret.partnerId, event);
  return true;
}

/**
 * Resumes a suspended partner with its test partner: everything that has not expired or been revoked meanwhile works again. Needs a transaction.
 *
 * Without a valid secret it stays suspended: it could not authenticate, nor withdraw what its users' tokens may do.
 *
 * @returns false when it is not suspended, or has no valid secret, or its live partner is suspended, or there is no such partner.
 */
export async function resumePartner(transaction: Executor, id: string, event: ManagementEvent): Promise<boolean> {
  await lockPartner(transaction, id);
  if ((await listPartnerSecrets(transaction, id)).length === 0) return false;
  const { testOf = null } = (await findPartner(transaction, id)) ?? {};
  if (testOf !== null && (await findPartner(transaction, testOf))?.suspendedAt !== null) return false;
  if (!(await setPartnerSuspended(transaction, id, null))) return false;
  await emit(transaction, { type: 'partner_resumed', partnerId: id, ...event });
  const test = await findTestPartner(transaction, id);
  if (test !== undefined) await resumePartner(transaction, test.id, event);
  return true;
}

/** Result of a removal. The partner is removed if no users are left. */
interface Removal {
  readonly removed: number;
  /** Users that another call has to remove. */
  readonly left: number;
}

export interface RemovalOptions {
  /** Users to remove at most. Default: all. */
  readonly maxUsers?: number;
  /** Calls `remove`, then revokes the users' tokens at upstreams. Default: revokes nothing. */
  readonly revokeAfter?: (users: readonly User[], remove: () => Promise<number>) => Promise<number>;
}

/**
 * Removes a partner with its test partner, secrets, issuers and users, and all their data: connections, credentials, grants, tokens and codes.
 * Audit events and call records stay, without users' names.
 *
 * It is suspended first, so that nothing new is created. Its users are removed in batches, so that other requests run in between.
 * Another call continues a removal that was interrupted or reached `maxUsers`.
 *
 * @returns null when there is no such partner.
 */
export async function removePartner(
  db: Kysely<Database>,
  id: string,
  event: ManagementEvent,
  { maxUsers = Number.POSITIVE_INFINITY, revokeAfter = (_, remove) => remove() }: RemovalOptions = {},
): Promise<Removal | null> {
  await db.transaction().execute((transaction) => suspendPartner(transaction, id, event));
  const test = await findTestPartner(db, id);
  if (test !== undefined) {
    const ofTest = await removePartner(db, test.id, event, { maxUsers, revokeAfter });
    if (ofTest !== null && ofTest.left > 0) return ofTest;
  }
  let removed = 0;
  while (removed < maxUsers) {
    const limit = Math.min(USERS_PER_TRANSACTION, maxUsers - removed);
    const users = await listUsers(db, { partnerId: id, limit });
    if (users.length === 0) break;
    removed += await revokeAfter(users, () =>
      db.transaction().execute((transaction) => eraseUsers(transaction, users, event.now)),
    );
    await nextTurn();
  }
  return db.transaction().execute((transaction) => endRemoval(transaction, id, removed, event));
}

async function eraseUsers(transaction: Executor, users: readonly User[], now: number): Promise<number> {
  let erased = 0;
  for (const user of users) if ((await eraseUser(transaction, user, now)) !== null) erased += 1;
  return erased;
}

async function endRemoval(
  transaction: Executor,
  id: string,
  removed: number,
  event: ManagementEvent,
): Promise<Removal | null> {
  const partner = await findPartner(transaction, id);
  if (partner === undefined) return null;
  const remainingUsers = await countUsers(transaction, id);
  const { clientId, name } = partner;
  const details = { clientId, name, users: removed };
  if (remainingUsers > 0) {
    await emit(transaction, { type: 'partner_removal_begun', partnerId: id, details, ...event });
  } else if (await deletePartner(transaction, id)) {
    await emit(transaction, { type: 'partner_removed', partnerId: id, details, ...event });
  } else return null;
  return { removed, left: remainingUsers };
}
