/** Issues the next access token and refresh token of a grant. */

import { OAuthError } from '../oauth-protocol/error.ts';
import type { Scope } from '../principal/scopes.ts';
import { createSecret, hashSecret } from '../secrets.ts';
import { extendGrant, type Grant } from '../store/repositories/oauth-grants.ts';
import { insertRefreshToken } from '../store/repositories/refresh-tokens.ts';
import type { Executor } from '../store/schema.ts';
import { ACCESS_TOKEN_TTL_SECONDS, issueAccessToken } from './access-token.ts';

/** Lifetime of a refresh token, from its own issue: a client that is used once a month stays signed in. */
export const REFRESH_TOKEN_TTL_SECONDS = 30 * 86_400;

/** The answer of the token endpoint (RFC 6749 §5.1), as on the wire. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  /** Missing where the grant type has none. */
  readonly refresh_token?: string;
  readonly scope: string;
}

/**
 * Issues both tokens in the transaction that used up what they are issued for.
 *
 * @param options.scopes of the access token; the refresh token keeps those of the grant (RFC 6749 §6).
 * @throws {OAuthError} `invalid_grant`, status 400, when the grant was revoked meanwhile, or has ended.
 */
export async function issueTokens(
  transaction: Executor,
  grant: Grant,
  options: { scopes: readonly Scope[]; now: number },
): Promise<TokenResponse> {
  const { scopes, now } = options;
  const lastsUntil = (seconds: number) => Math.min(now + seconds * 1000, grant.endsAt ?? Number.POSITIVE_INFINITY);
  const ttlSeconds = Math.floor((lastsUntil(ACCESS_TOKEN_TTL_SECONDS) - now) / 1000);
  if (ttlSeconds <= 0) throw new OAuthError(400, 'invalid_grant', 'The grant has ended.');
  const expiresAt = lastsUntil(REFRESH_TOKEN_TTL_SECONDS);
  if (!(await extendGrant(transaction, grant.id, expiresAt))) {
    throw new OAuthError(400, 'invalid_grant', 'The grant was revoked.');
  }
  const refreshToken = createSecret('refreshToken');
  const tokenHash = hashSecret(refreshToken);
  await insertRefreshToken(transaction, { tokenHash, grantId: grant.id, now, expiresAt });
  const { userId, services, resource, id: grantId } = grant;
  const accessToken = await issueAccessToken(transaction, {
    userId,
    scopes,
    services,
    resource,
    now,
    ttlSeconds,
    grantId,
  });
  return {
    access_token: accessToken.token,
    token_type: 'Bearer',
    expires_in: ttlSeconds,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  };
}
