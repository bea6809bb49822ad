/** Revokes one grant, or many at once, for its user, the user's partner or an operator: tokens are refused from then on. */

import type { Kysely } from 'kysely';
import { emit } from '../../../base/store/events.ts';
import {
  ACCESS_KINDS,
  type AccessCounts,
  type AccessKind,
  type AccessSelection,
  revokeSomeAccess,
} from '../../../base/store/repositories/live-access.ts';
import { findLiveGrant, type Grant, revokeGrant } from '../../../base/store/repositories/oauth-grants.ts';
import type { Database, Executor } from '../../../base/store/schema.ts';
import type { ManagementEvent } from '../../partners/manage.ts';
import { namesOf } from '../grant-outcome.ts';

/** A grant of one user. It never finds another user's grant. */
export interface GrantKey {
  readonly grantId: string;
  /** Row id. */
  readonly userId: string;
  /** Row id of the partner that owns the user. */
  readonly partnerId: string;
}

/** The person or program that changes a grant, the time, and the origin. */
export type GrantChange = ManagementEvent & { readonly by: 'operator' | 'partner' | 'user' };

/** Finds the grant, if it is the user's and was not revoked. */
export async function findOwnGrant(executor: Executor, key: GrantKey): Promise<Grant | undefined> {
  const grant = await findLiveGrant(executor, key.grantId);
  return grant?.userId === key.userId ? grant : undefined;
}

/** Revokes one grant. Needs a transaction. @returns false when the user has no such grant, or it was revoked already. */
export async function revokeOwnGrant(transaction: Executor, key: GrantKey, change: GrantChange): Promise<boolean> {
  const { by, ...event } = change;
  const grant = await findOwnGrant(transaction, key);
  if (grant === undefined) return false;
  if (!(await revokeGrant(transaction, grant.id, { reason: `revoked-by-${by}`, now: event.now }))) return false;
  await emit(transaction, { type: 'grant_revoked', ...namesOf(grant), details: { by }, ...event });
  return true;
}

/** Rows that one statement revokes: few enough that no other statement waits long for them. */
const ROWS_PER_STATEMENT = 500;

/**
 * Revokes everything that is selected, in batches, and records one audit event `grants_revoked` with the numbers. Running it
 * again revokes what was issued since, and completes a run that was interrupted.
 *
 * @param kinds default: all.
 * @returns how many live rows were revoked.
 */
export async function revokeAccess(
  db: Kysely<Database>,
  selection: AccessSelection,
  change: GrantChange,
  kinds: readonly AccessKind[] = ACCESS_KINDS,
): Promise<AccessCounts> {
  const { by, ...event } = change;
  const revoked = { codes: 0, grants: 0, tokens: 0 };
  try {
    for (const kind of kinds) {
      for await (const rows of revokeKind(db, kind, selection, change)) revoked[kind] += rows;
    }
  } finally {
    const { partnerId = null, userId = null, clientId = null, service, realm } = selection;
    const details = { by, service, realm, ...revoked };
    if (Object.values(revoked).some((rows) => rows > 0)) {
      await emit(db, { type: 'grants_revoked', partnerId, userId, clientId, details, ...event });
    }
  }
  return revoked;
}

async function* revokeKind(
  db: Kysely<Database>,
  kind: AccessKind,
  selection: AccessSelection,
  { by, now }: GrantChange,
): AsyncGenerator<number> {
  let after = '';
  for (;;) {
    const options = { selection, now, reason: `revoked-by-${by}`, limit: ROWS_PER_STATEMENT, after } as const;
    const keys = await db.transaction().execute((transaction) => revokeSomeAccess(transaction, kind, options));
    const last = keys.at(-1);
    if (last === undefined) return;
    yield keys.length;
    after = last;
  }
}
