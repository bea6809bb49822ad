/** Lets a grant have a tool with the risk that it has come to: what a user, or the partner, allowed since. */

import { readPermission, writePermission } from '../../principal/permission.ts';
import { findLiveGrant, replaceGrantAccess } from '../../store/repositories/oauth-grants.ts';
import type { Executor } from '../../store/schema.ts';

/** A tool, and the facts that were looked at before it was allowed. */
export interface AcceptedTool {
  readonly tool: string;
  readonly facts: string;
}

/** More callers than ever change one grant at once. */
const MAX_TRIES = 10;

/**
 * Writes the facts into the grant's permission. Changes that others make meanwhile are kept.
 *
 * @returns false when the grant was revoked or removed.
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
