/** Finds a grant for those who may change it: its user, the user's partner, or an operator. */

import { findGrant, type Grant } from '../../../base/store/repositories/oauth-grants.ts';
import type { Executor } from '../../../base/store/schema.ts';

/** A grant of one user. It never finds another user's grant. */
export interface GrantKey {
  readonly grantId: string;
  /** Row id. */
  readonly userId: string;
  /** Row id of the partner that owns the user. */
  readonly partnerId: string;
}

/** Who changes a grant, when, and from where. */
export interface GrantChange {
  readonly by: 'operator' | 'partner' | 'user';
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly address?: string | null;
  readonly requestId?: string | null;
}

/** The grant, if it is the user's and was not revoked. */
export async function findOwnGrant(executor: Executor, key: GrantKey): Promise<Grant | undefined> {
  const grant = await findGrant(executor, key.grantId);
  return grant?.userId === key.userId && grant.revokedAt === null ? grant : undefined;
}
