/** Revokes one grant for its user, the user's partner or an operator: its tokens are refused from then on. */

import { tell } from '../../../base/events.ts';
import { revokeGrant } from '../../../base/store/repositories/oauth-grants.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { findOwnGrant, type GrantChange, type GrantKey } from './own-grant.ts';

/** Revokes one grant. Needs a transaction. @returns false when the user has no such grant, or it was revoked already. */
export async function revokeOwnGrant(transaction: Executor, key: GrantKey, change: GrantChange): Promise<boolean> {
  const { by, ...event } = change;
  const grant = await findOwnGrant(transaction, key);
  if (grant === undefined) return false;
  if (!(await revokeGrant(transaction, grant.id, { reason: `revoked-by-${by}`, now: event.now }))) return false;
  const { partnerId, userId } = key;
  const { id: grantId, clientId } = grant;
  const details = { by };
  await tell(transaction, {
    type: 'grant_revoked',
    partnerId,
    userId,
    clientId,
    grantId,
    details,
    ...event,
  });
  return true;
}
