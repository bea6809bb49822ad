/** Adds a tool with its increased risk to a grant, after the user or the partner allowed it. */

import { readPermission, writePermission } from '../../../base/principal/permission.ts';
import { findLiveGrant, replaceGrantAccess } from '../../../base/store/repositories/oauth-grants.ts';
import type { Executor } from '../../../base/store/schema.ts';

/** A tool, and the facts that were shown before it was allowed. */
export interface AcceptedTool {
  readonly tool: string;
  readonly facts: string;
}

/** More than the number of callers that ever change one grant concurrently. */
const MAX_TRIES = 10;

/**
 * Writes the facts into the grant's permission, and keeps concurrent changes.
 *
 * @returns false if the grant was revoked or removed.
 */
export async function acceptTool(executor: Executor, grantId: string, { tool, facts }: AcceptedTool): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const grant = await findLiveGrant(executor, grantId);
    if (grant === undefined) return false;
    const permission = readPermission(grant.permission);
    const accepted = { ...permission.accepted, [tool]: facts };
    const to = { ...grant, permission: writePermission({ ...permission, accepted }) };
    if (await replaceGrantAccess(executor, grantId, { from: grant, to })) return true;
  }
  throw new Error('the permission of a grant changes all the time');
}
