/** A user as the caller of the user's tools, for an operator or the partner that tries a tool. */

import { sql } from 'kysely';
import { currentAllowance, readLimitedPermission } from '../../base/principal/allowance.ts';
import { SCOPES } from '../../base/principal/permission.ts';
import { markWithheldShares, type Principal } from '../../base/principal/principal.ts';
import { listConnections } from '../../base/store/repositories/connections.ts';
import { findPartner, mayOffer } from '../../base/store/repositories/partners.ts';
import { readWritingStopped } from '../../base/store/repositories/switches.ts';
import type { User } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';
import { type FoundConnection, SHARES, type SharedConnectionRow, toShared } from '../../base/store/token-lookup.ts';

/** The token of a caller that has none. */
interface RecordedToken {
  /** The id that is recorded with the calls. */
  readonly tokenId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** The resource of the gateway (RFC 8707). */
  readonly resource: string;
}

/** Returns the user with every scope, and every service that is offered, and connected or shared by a team, by its first account. */
export async function createFullAccessPrincipal(db: Executor, user: User, token: RecordedToken): Promise<Principal> {
  const partner = await findPartner(db, user.partnerId);
  if (partner === undefined) throw new Error('the partner of a user is not there');
  const now = Date.now();
  const own = (await listConnections(db, user.id)).map(({ service, account, ...connection }) => {
    return { service, connection: { ...connection, account: account ?? undefined } };
  });
  const { rows } = await sql<SharedConnectionRow>`${sql.raw(SHARES)} ${user.id}`.execute(db);
  const shared = toShared(rows, { requires_allowance: Number(partner.requiresAllowance) });
  const firstAccounts = new Map<string, FoundConnection>();
  for (const { service, connection } of [...own, ...shared]) {
    if (mayOffer(partner, service) && !firstAccounts.has(service)) firstAccounts.set(service, connection);
  }
  return {
    ...token,
    grantId: null,
    clientId: null,
    permission: readLimitedPermission(null, currentAllowance(user, now)),
    scopes: SCOPES,
    connectUri: null,
    partnerId: user.partnerId,
    realm: partner.realm,
    userId: user.id,
    externalUserId: user.externalUserId,
    connections: markWithheldShares(firstAccounts, now),
    services: [...firstAccounts.keys()],
    partnerName: partner.name,
    offeredServices: partner.services,
    callLimits: partner.callLimits?.join(',') ?? null,
    isSuspended: partner.suspendedAt !== null,
    isWritingStopped: (await readWritingStopped(db)) !== null,
  };
}
