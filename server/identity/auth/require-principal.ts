/** Rejects requests without a valid access token, and finds the principal of the others. */

import { readPermission } from '../../base/principal/permission.ts';
import type { Principal } from '../../base/principal/principal.ts';
import { toScopes } from '../../base/principal/scopes.ts';
import { hashSecret } from '../../base/secrets.ts';
import type { FoundAccessToken } from '../../base/store/index.ts';
import { readBearer } from './bearer.ts';
import type { ChallengesAt } from './challenge.ts';

interface RequirePrincipalDependencies {
  readonly store: { findAccessToken(tokenHash: string): Promise<FoundAccessToken | undefined> };
  readonly challenges: ChallengesAt;
  /** The gateway's resource indicator; a token for another resource is refused (RFC 8707 §2). */
  readonly resource: string;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  /** Called with the row id of a token that is used for the first time. Default: not reported. */
  readonly onFirstUse?: (tokenId: string) => Promise<void>;
}

/**
 * Creates the middleware that checks a request's `Authorization` header and query.
 *
 * Nothing is cached between requests, so a revoked token is rejected at once.
 *
 * @throws {RequestError} of `Challenges`: 401 without credentials or with a token that is not valid, 400 for malformed
 * ones.
 */
export function requirePrincipal(
  deps: RequirePrincipalDependencies,
): (authorization: string, query: string, host: string) => Promise<Principal> {
  const { store, resource } = deps;
  const now = deps.now ?? Date.now;
  return async (authorization, query, host) => {
    const credentials = readBearer(authorization, query);
    const refuse = () => deps.challenges(host);
    if (credentials.kind === 'none') throw refuse().missing();
    if (credentials.kind === 'malformed') throw refuse().invalidRequest(credentials.reason);

    const found = await store.findAccessToken(hashSecret(credentials.token));
    if (found === undefined) throw refuse().invalidToken('The access token is unknown or was revoked.');
    if (found.expiresAt <= now()) throw refuse().invalidToken('The access token has expired.');
    if (found.resource !== resource) {
      throw refuse().invalidToken('The access token was issued for another resource.');
    }
    if (found.firstUsedAt === null) await deps.onFirstUse?.(found.id);
    return toPrincipal(found);
  };
}

function toPrincipal(found: FoundAccessToken): Principal {
  return {
    tokenId: found.id,
    partnerId: found.partnerId,
    userId: found.userId,
    externalUserId: found.externalUserId,
    grantId: found.grantId,
    clientId: found.clientId,
    scopes: toScopes(found.scopes),
    permission: readPermission(found.permission),
    connections: found.connections,
    services: [...found.connections.keys()],
    connectUri: found.connectUri,
    partnerName: found.partnerName,
    offered: found.offered,
    narrowedTo: found.narrowedTo,
    isSuspended: found.isSuspended,
    expiresAt: found.expiresAt,
    resource: found.resource,
  };
}
