/** Rejects requests without a valid access token, and finds the principal of the others. */

import { currentAllowance, readLimitedPermission, withAllowedApprovals } from '../principal/allowance.ts';
import { toScopes } from '../principal/permission.ts';
import {
  markWithheldShares,
  namesOfAccounts,
  type Principal,
  selectAllowed,
  selectPinned,
} from '../principal/principal.ts';
import { hashSecret } from '../principal/secrets.ts';
import type { TokenStore } from '../store/index.ts';
import type { ChallengesAt } from './challenge.ts';

interface RequirePrincipalDependencies {
  readonly store: TokenStore;
  readonly challenges: ChallengesAt;
  /** The gateway's resource indicator; a token for another resource is refused (RFC 8707 §2). */
  readonly resource: string;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
  /** Called with the row id of a token that is used for the first time. Default: not reported. */
  readonly onFirstUse?: ((tokenId: string) => Promise<void>) | undefined;
}

/**
 * Creates the middleware that checks a request's `Authorization` header and query.
 *
 * The store is asked for every request, so a revoked token is rejected at once.
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

    const token = await store.findAccessToken(hashSecret(store.db, credentials.token));
    const principal = readPrincipal(token, resource, now());
    if (typeof principal === 'string') throw refuse().invalidToken(principal);
    if (token?.firstUsedAt === null) await deps.onFirstUse?.(token.id);
    return principal;
  };
}

/** Returns the principal of a token, or a sentence with the reason why the token is refused. @param now milliseconds since 1970. */
export function readPrincipal(
  token: Awaited<ReturnType<TokenStore['findAccessToken']>>,
  resource: string,
  now: number,
): Principal | string {
  if (token === undefined) return 'The access token is unknown or was revoked.';
  if (token.expiresAt <= now) return 'The access token has expired.';
  if (token.resource !== resource) return 'The access token was issued for another resource.';
  const allowance = currentAllowance(token, now);
  const permission = readLimitedPermission(token.permission, allowance);
  const found = selectAllowed(selectPinned(token.connections, permission.accounts), permission.allows);
  const connections = markWithheldShares(found, now);
  return {
    tokenId: token.id,
    partnerId: token.partnerId,
    realm: token.realm,
    userId: token.userId,
    externalUserId: token.externalUserId,
    grantId: token.grantId,
    clientId: token.clientId,
    scopes: toScopes(token.scopes),
    permission,
    connections,
    services: [...connections.keys()],
    accounts: namesOfAccounts(connections),
    connectUri: token.connectUri,
    partnerName: token.partnerName,
    offeredServices: token.offeredServices,
    narrowedTo: token.narrowedTo,
    isSuspended: token.isSuspended,
    approvals: withAllowedApprovals(token.approvals, allowance),
    callLimits: token.callLimits,
    isWritingStopped: token.isWritingStopped,
    expiresAt: token.expiresAt,
    resource: token.resource,
  };
}

/** The credentials of a request. `reason` is a sentence for the caller. */
type BearerCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'malformed'; readonly reason: string };

/** `b64token` of RFC 6750 §2.1. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Reads the `Authorization` header. Another scheme, or `Bearer` without a token, counts as no credentials.
 *
 * A token in the query string is malformed even when the header has one: URLs end up in logs and histories
 * (RFC 6750 §2.3, MCP authorization, Access Token Usage).
 */
export function readBearer(authorization: string, query: string): BearerCredentials {
  if (query !== '' && new URLSearchParams(query).has('access_token')) {
    return { kind: 'malformed', reason: 'Send the access token in the Authorization header, not in the query string.' };
  }
  const [scheme = '', ...rest] = authorization.split(' ');
  if (scheme.toLowerCase() !== 'bearer') return { kind: 'none' };
  const token = rest.join(' ').trim();
  if (token === '') return { kind: 'none' };
  return TOKEN.test(token)
    ? { kind: 'token', token }
    : { kind: 'malformed', reason: 'The Authorization header is not of the form "Bearer <token>".' };
}
