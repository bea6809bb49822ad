/** The state of an authorization server: its settings, which can be changed while it runs, and codes and tokens with their expiry and revocation. */

import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { OAuthProblem } from './request.ts';

/** Every setting and what it does; `--help` and `GET /__sandbox` print this. */
export const OAUTH_SETTINGS = {
  accessTokenSeconds: 'how long new access tokens live; null: as the connector says, else 3600',
  refreshToken:
    '"new": each refresh gives another one and ends the old (default); "same": answers repeat it; ' +
    '"kept": answers of refreshes leave it out; "never": there is none',
  reuseRevokes: 'whether an old refresh token revokes the whole grant (default true)',
  saysExpiresIn: 'whether answers state the lifetime of the access token (default true)',
  clockSkewSeconds: 'added to the lifetime that answers state; the real one stays (default 0)',
  cutsOpener: 'whether the authorize page cuts a popup from its opener (default false)',
} as const;

const settingsSchema = z.strictObject({
  accessTokenSeconds: z.number().min(0).max(1e9).nullable(),
  refreshToken: z.enum(['new', 'same', 'kept', 'never']),
  reuseRevokes: z.boolean(),
  saysExpiresIn: z.boolean(),
  clockSkewSeconds: z.int().min(-1e9).max(1e9),
  cutsOpener: z.boolean(),
});

/** The body of `POST /__sandbox/oauth`: settings, for one service or for all. */
export const oauthChangeSchema = settingsSchema.partial().extend({ service: z.string().optional() });

export type OAuthSettings = z.output<typeof settingsSchema>;
export type OAuthChange = Omit<z.output<typeof oauthChangeSchema>, 'service'>;

/** The settings after a change. @throws {z.ZodError} */
export function changeSettings(settings: OAuthSettings, change: OAuthChange): OAuthSettings {
  const definedEntries = Object.entries(change).filter(([, value]) => value !== undefined);
  return settingsSchema.parse({ ...settings, ...Object.fromEntries(definedEntries) });
}

export const DEFAULT_OAUTH_SETTINGS: OAuthSettings = {
  accessTokenSeconds: null,
  refreshToken: 'new',
  reuseRevokes: true,
  saysExpiresIn: true,
  clockSkewSeconds: 0,
  cutsOpener: false,
};

/** The access that a user allowed, or that a client has on its own behalf. */
interface Grant {
  readonly clientId: string;
  readonly user: string;
  readonly scopes: readonly string[];
  /** The only refresh token that is valid, or null. */
  refreshToken: string | null;
  revoked: boolean;
}

interface CodeRequest extends Pick<Grant, 'clientId' | 'user' | 'scopes'> {
  readonly redirectUri: string;
  /** S256 code challenge, or null without PKCE. */
  readonly challenge: string | null;
}

export interface IssuedTokens {
  readonly accessToken: string;
  /** Null if the answer contains no refresh token. */
  readonly refreshToken: string | null;
  /** The actual lifetime in seconds; the answer may state another. */
  readonly lifeSeconds: number;
  readonly scopes: readonly string[];
}

interface AccessToken {
  readonly grant: Grant;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. */
  expiresAt: number;
}

export interface Grants {
  issueCode(request: CodeRequest): string;
  /** RFC 6749 §4.1.3, RFC 7636 §4.6. @throws {OAuthProblem} `invalid_grant`. */
  redeemCode(
    code: string,
    request: { clientId: string; redirectUri: string | undefined; verifier: string | undefined },
  ): Grant;
  /** RFC 6749 §6. @throws {OAuthProblem} `invalid_grant`; reuse revokes the whole grant if the settings say so. */
  findRefreshable(refreshToken: string, clientId: string): Grant;
  /** Issues tokens for a new grant or, with `refreshed`, for a refreshed one. */
  issue(grant: Grant, options: { lifeSeconds: number; refreshed: boolean; scopes?: readonly string[] }): IssuedTokens;
  /** Returns a valid access token, or null if it is unknown, expired or revoked. */
  findAccess(token: string): AccessToken | null;
  /** RFC 7009: revokes the whole grant of a refresh token, or a single access token. */
  revoke(token: string, clientId: string): void;
  expireAccessTokens(): void;
  revokeAll(): void;
}

/** Every token begins with this prefix, so that the sandbox never accepts one as a key. */
export const TOKEN_PREFIX = 'sandbox_';
const CODE_LIFE_MS = 600_000;

export function createGrants(settings: () => OAuthSettings, now: () => number): Grants {
  const codes = new Map<string, CodeRequest & { readonly expiresAt: number; grant: Grant | null }>();
  const accessTokens = new Map<string, AccessToken>();
  const refreshTokens = new Map<string, Grant>();
  const newToken = (kind: string): string => `${TOKEN_PREFIX}${kind}_${randomBytes(18).toString('base64url')}`;

  function nextRefreshToken(grant: Grant, refreshed: boolean): string | null {
    const { refreshToken } = settings();
    if (refreshToken === 'never' && !refreshed) return null;
    if (refreshed && refreshToken !== 'new') return refreshToken === 'same' ? grant.refreshToken : null;
    grant.refreshToken = newToken('refresh');
    refreshTokens.set(grant.refreshToken, grant);
    return grant.refreshToken;
  }

  return {
    issueCode(request) {
      const code = newToken('code');
      codes.set(code, { ...request, expiresAt: now() + CODE_LIFE_MS, grant: null });
      return code;
    },

    redeemCode(code, { clientId, redirectUri, verifier }) {
      const codeEntry = codes.get(code);
      if (codeEntry === undefined || codeEntry.expiresAt <= now()) throw refuse('The code is unknown or expired.');
      if (codeEntry.grant !== null) {
        codeEntry.grant.revoked = true;
        throw refuse('The code was used before; what it gave is revoked.');
      }
      if (codeEntry.clientId !== clientId) throw refuse('The code belongs to another client.');
      if (codeEntry.redirectUri !== redirectUri)
        throw refuse('redirect_uri differs from that of the authorization request.');
      const challenge = verifier === undefined ? null : createHash('sha256').update(verifier).digest('base64url');
      if (codeEntry.challenge !== challenge) throw refuse('code_verifier does not match code_challenge.');
      const { user, scopes } = codeEntry;
      codeEntry.grant = { clientId, user, scopes, refreshToken: null, revoked: false };
      return codeEntry.grant;
    },

    findRefreshable(refreshToken, clientId) {
      const grant = refreshTokens.get(refreshToken);
      if (grant === undefined || grant.clientId !== clientId) throw refuse('The refresh token is unknown.');
      if (grant.revoked) throw refuse('The grant is revoked.');
      if (grant.refreshToken !== refreshToken) {
        grant.revoked = settings().reuseRevokes;
        throw refuse('The refresh token was used before.');
      }
      return grant;
    },

    issue(grant, { lifeSeconds, refreshed, scopes = grant.scopes }) {
      const accessToken = newToken('access');
      accessTokens.set(accessToken, { grant, scopes, expiresAt: now() + lifeSeconds * 1000 });
      return { accessToken, refreshToken: nextRefreshToken(grant, refreshed), lifeSeconds, scopes };
    },

    findAccess(token) {
      const accessToken = accessTokens.get(token);
      return accessToken === undefined || accessToken.grant.revoked || accessToken.expiresAt <= now()
        ? null
        : accessToken;
    },

    revoke(token, clientId) {
      const grant = refreshTokens.get(token);
      if (grant?.clientId === clientId) grant.revoked = true;
      if (accessTokens.get(token)?.grant.clientId === clientId) accessTokens.delete(token);
    },

    expireAccessTokens() {
      for (const token of accessTokens.values()) token.expiresAt = 0;
    },

    revokeAll() {
      for (const { grant } of accessTokens.values()) grant.revoked = true;
      for (const grant of refreshTokens.values()) grant.revoked = true;
    },
  };
}

function refuse(description: string): OAuthProblem {
  return new OAuthProblem('invalid_grant', description);
}
