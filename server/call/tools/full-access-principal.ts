/** A user as the caller of the user's tools, for an operator or the partner that tries a tool. */

import { currentAllowance, readLimitedPermission } from '../../base/principal/allowance.ts';
import { SCOPES } from '../../base/principal/permission.ts';
import type { Principal } from '../../base/principal/principal.ts';
import { listConnections } from '../../base/store/repositories/connections.ts';
import { findPartner, mayOffer } from '../../base/store/repositories/partners.ts';
import type { User } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';

/** The token of a caller that has none. */
interface RecordedToken {
  /** The id that is recorded with the calls. */
  readonly tokenId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** The resource of the gateway (RFC 8707). */
  readonly resource: string;
}

/** Returns the user with every scope, and every service that is connected and offered, by its first account. */
export async function createFullAccessPrincipal(db: Executor, user: User, token: RecordedToken): Promise<Principal> {
  const partner = await findPartner(db, user.partnerId);
  if (partner === undefined) throw new Error('the partner of a user is not there');
  const connected = await listConnections(db, user.id);
  const connections = connected.filter(
    ({ service }, at) => mayOffer(partner, service) && connected[at - 1]?.service !== service,
  );
  return {
    ...token,
    grantId: null,
    clientId: null,
    permission: readLimitedPermission(null, currentAllowance(user, Date.now())),
    scopes: SCOPES,
    connectUri: null,
    partnerId: user.partnerId,
    realm: partner.realm,
    userId: user.id,
    externalUserId: user.externalUserId,
    connections: new Map(
      connections.map(({ account, ...connection }) => [
        connection.service,
        { ...connection, account: account ?? undefined },
      ]),
    ),
    services: connections.map(({ service }) => service),
    partnerName: partner.name,
    offeredServices: partner.services,
    callLimits: partner.callLimits?.join(',') ?? null,
    isSuspended: partner.suspendedAt !== null,
  };
}
