/** The gateway as an OAuth 2.0 client of upstreams: its requests to an authorization server, and the answers. */

import type { UpstreamClient } from '../../../base/credentials/upstream-clients.ts';
import type { OAuth2Rules } from '../../../contract/index.ts';

/** An authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3). */
interface AuthorizationRequest {
  readonly clientId: string;
  /** The connector's own callback, byte for byte as in the token request. */
  readonly redirectUri: string;
  readonly state: string;
  /** S256 of the verifier. Null if the upstream does not support PKCE. */
  readonly codeChallenge: string | null;
  readonly scopes: readonly string[];
}

/** Finds the gateway's registrations at authorization servers. */
export interface ClientLookup {
  /** Returns the partner's own registration at the service, else the operator's, or null if neither has one. */
  find(partnerId: string, service: string): Promise<UpstreamClient | null>;
  /** Returns the registration that tokens were issued to, or null if it was removed. */
  findById(id: string): Promise<UpstreamClient | null>;
}

/** Returns the registration that a token was issued to; if that was removed, the present one. Null if there is none. */
export async function findClientOf(
  clients: ClientLookup,
  { partnerId, service, clientRow }: { partnerId: string; service: string; clientRow: string | null },
): Promise<UpstreamClient | null> {
  return (clientRow === null ? null : await clients.findById(clientRow)) ?? clients.find(partnerId, service);
}

/** The tokens that a token endpoint granted. */
export interface TokenAnswer {
  readonly accessToken: string;
  /** Null if the answer has none. After a refresh, the old refresh token then stays valid. */
  readonly refreshToken: string | null;
  /** Milliseconds since 1970. Null if the token does not expire. */
  readonly expiresAt: number | null;
  /** Granted scopes. Null if the answer has none: then all requested scopes were granted (RFC 6749 §5.1). */
  readonly scopes: readonly string[] | null;
}

/**
 * Why there are no tokens.
 *
 * `invalid_grant`: the code or refresh token is no longer valid, and a retry cannot help. `invalid_client`: the operator's or
 * partner's client credentials are refused. `refused`: another error of the authorization server. `unavailable`: no answer,
 * 429, 5xx, or an unreadable answer; a retry may help.
 */
export type TokenFailureKind = 'invalid_grant' | 'invalid_client' | 'refused' | 'unavailable';

/** A token request that gave no tokens. Message and code contain no secret, and at most 64 characters of upstream text. */
export class TokenRequestError extends Error {
  override readonly name = 'TokenRequestError';
  readonly kind: TokenFailureKind;
  /** The upstream's `error` (RFC 6749 §5.2) if valid, else null. */
  readonly code: string | null;
  /** Seconds that the upstream asks to wait (`Retry-After`), else null. */
  readonly retryAfterSeconds: number | null;

  constructor(
    kind: TokenFailureKind,
    code: string | null,
    { retryAfterSeconds = null, ...options }: ErrorOptions & { retryAfterSeconds?: number | null } = {},
  ) {
    super(`the token endpoint gave no token (${kind}${code === null ? '' : `: ${code}`})`, options);
    this.kind = kind;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The token and revocation endpoints of upstreams. Every method stops when `signal` aborts. */
export interface UpstreamOAuth {
  /** The URL to send the user's browser to. */
  authorizationUrl(rules: OAuth2Rules, request: AuthorizationRequest): string;
  /** RFC 6749 §4.1.3. @throws {TokenRequestError} */
  exchangeCode(
    rules: OAuth2Rules,
    request: { client: UpstreamClient; code: string; redirectUri: string; codeVerifier: string | null },
    signal: AbortSignal,
  ): Promise<TokenAnswer>;
  /** RFC 6749 §4.4. @throws {TokenRequestError} */
  clientCredentials(
    rules: OAuth2Rules,
    request: { client: UpstreamClient; scopes: readonly string[] },
    signal: AbortSignal,
  ): Promise<TokenAnswer>;
  /** RFC 6749 §6. @throws {TokenRequestError} */
  refresh(
    rules: OAuth2Rules,
    request: { client: UpstreamClient; refreshToken: string },
    signal: AbortSignal,
  ): Promise<TokenAnswer>;
  /** RFC 7009; does nothing when the upstream has no such endpoint. @throws {TokenRequestError} */
  revoke(
    rules: OAuth2Rules,
    request: { client: UpstreamClient; token: string; hint: 'access_token' | 'refresh_token' },
    signal: AbortSignal,
  ): Promise<void>;
}
