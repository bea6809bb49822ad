/** Issues the next access token and refresh token of a grant. */

import { type Scope, toScopes } from '../../base/principal/permission.ts';
import { createSecret, hashSecret } from '../../base/principal/secrets.ts';
import { extendGrant, type Grant } from '../../base/store/repositories/oauth-grants.ts';
import { insertRefreshToken } from '../../base/store/repositories/refresh-tokens.ts';
import type { Executor } from '../../base/store/schema.ts';
import { OAuthError } from '../protocol/error.ts';
import { ACCESS_TOKEN_TTL_SECONDS, issueAccessToken } from './access-token.ts';

/** Lifetime of a refresh token, from when it is issued: a client that is used once a month stays signed in. */
export const REFRESH_TOKEN_TTL_SECONDS = 30 * 86_400;

/** The tokens that a client receives, as text. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** The answer of the token endpoint (RFC 6749 §5.1), as on the wire. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  /** Undefined if the grant type has none. */
  readonly refresh_token?: string;
  readonly scope: string;
}

/**
 * Issues both tokens in the transaction that consumed the code or refresh token.
 *
 * @param options.scopes of the access token; the refresh token keeps the grant's (RFC 6749 §6).
 * @param options.pair default: two tokens of 256 random bits each.
 * @throws {OAuthError} `invalid_grant`, status 400, when the grant was revoked meanwhile, or has expired.
 */
export async function issueTokens(
  transaction: Executor,
  grant: Grant,
  options: { scopes: readonly Scope[]; now: number; pair?: TokenPair },
): Promise<TokenResponse> {
  const { scopes, now } = options;
  const pair = options.pair ?? { accessToken: createSecret('accessToken'), refreshToken: createSecret('refreshToken') };
  const expiresAt = Math.min(now + REFRESH_TOKEN_TTL_SECONDS * 1000, grant.endsAt ?? Number.POSITIVE_INFINITY);
  if (!(await extendGrant(transaction, grant.id, expiresAt))) {
    throw new OAuthError(400, 'invalid_grant', 'The grant was revoked.');
  }
  const tokenHash = hashSecret(transaction, pair.refreshToken);
  await insertRefreshToken(transaction, { tokenHash, grantId: grant.id, now, expiresAt });
  await issueAccessTokenOf(transaction, grant, { scopes, now, token: pair.accessToken });
  return toTokenResponse(pair, scopes, { grant, issuedAt: now, now });
}

/**
 * Issues one access token of a grant; if it already exists, its row stays unchanged.
 *
 * @throws {OAuthError} `invalid_grant`, status 400, when the grant has expired.
 */
export async function issueAccessTokenOf(
  transaction: Executor,
  grant: Grant,
  options: { readonly scopes: readonly Scope[]; readonly now: number; readonly token: string },
): Promise<void> {
  const ttlSeconds = lifetimeOf(grant, options.now);
  if (ttlSeconds <= 0) throw new OAuthError(400, 'invalid_grant', 'The grant has expired.');
  const { id: grantId, userId, services, resource } = grant;
  await issueAccessToken(transaction, { ...options, ttlSeconds, userId, services, resource, grantId });
}

/**
 * The scopes of an access token, which may get less than the grant, never more. Scopes that the gateway does not know are ignored.
 *
 * @throws {OAuthError} `invalid_scope`, status 400.
 */
export function narrowScopes(grant: Grant, requested: string | undefined): Scope[] {
  const granted = toScopes(grant.scopes);
  if (requested === undefined) return granted;
  const scopes = toScopes(requested.split(' '));
  if (scopes.length === 0) return granted;
  if (!scopes.every((scope) => granted.includes(scope))) {
    throw new OAuthError(400, 'invalid_scope', `The scope must be part of what was granted: ${granted.join(' ')}.`);
  }
  return scopes;
}

/** Lifetime of an access token that is issued at that time, in seconds. */
function lifetimeOf({ endsAt }: Grant, issuedAt: number): number {
  if (endsAt === null) return ACCESS_TOKEN_TTL_SECONDS;
  return Math.min(Math.floor((endsAt - issuedAt) / 1000), ACCESS_TOKEN_TTL_SECONDS);
}

/** @param times when the tokens were issued, and when they are sent, in milliseconds since 1970. */
export function toTokenResponse(
  pair: TokenPair,
  scopes: readonly Scope[],
  times: { readonly grant: Grant; readonly issuedAt: number; readonly now: number },
): TokenResponse {
  const { grant, issuedAt, now } = times;
  return {
    access_token: pair.accessToken,
    token_type: 'Bearer',
    expires_in: lifetimeOf(grant, issuedAt) - Math.max(0, Math.floor((now - issuedAt) / 1000)),
    refresh_token: pair.refreshToken,
    scope: scopes.join(' '),
  };
}
