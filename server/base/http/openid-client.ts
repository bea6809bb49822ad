/** A client of a company's OpenID provider, which says who signs in (OpenID Connect Core 1.0 §3.1). */

import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  refreshTokenGrant,
} from 'openid-client';
import { limitAnswers } from '../guarded-fetch/limited-fetch.ts';
import type { Outgoing } from '../guarded-fetch/outgoing.ts';

/** The provider, and the registration at it. */
export interface OpenIdProvider {
  /** As in `iss`; the URL of its metadata is derived from it (OpenID Connect Discovery 1.0 §4). */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Separated by spaces; `openid` is among them. */
  readonly scope: string;
}

/** Claims about a person (OpenID Connect Core 1.0 §5.1). */
export type OpenIdClaims = Readonly<Record<string, unknown>>;

/** The claims about a person who signed in, from the ID token and, for all others, UserInfo. */
export interface OpenIdSignIn {
  readonly claims: OpenIdClaims & { readonly sub: string };
  /** Null if the provider issued none. */
  readonly refreshToken: string | null;
}

/** The result of a refresh. `gone`: the provider refuses the refresh token (RFC 6749 §5.2, `invalid_grant`). */
export type OpenIdRefresh =
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'confirmed';
      /** Null if the provider sent neither an ID token nor UserInfo. */
      readonly claims: OpenIdClaims | null;
      /** The next refresh token: the old one if the provider sent no other. */
      readonly refreshToken: string;
    };

/** Values that finish a started sign-in. Only the browser that started it has them. */
export interface StartedSignIn {
  /** RFC 7636 §4.1. */
  readonly verifier: string;
  /** OpenID Connect Core 1.0 §3.1.2.1. */
  readonly nonce: string;
}

/** The gateway or the portal as a client of the provider. */
export interface OpenIdClient {
  /**
   * Begins a sign-in.
   *
   * @returns the address to which the browser is sent.
   * @throws when the provider cannot be reached.
   */
  begin(started: StartedSignIn, state: string): Promise<URL>;
  /**
   * Exchanges the code, and checks the ID token: signature, issuer, audience, expiry, nonce.
   *
   * @param answer the redirect URI with the provider's answer.
   * @throws when the answer is not valid.
   */
  finish(answer: URL, started: StartedSignIn, state: string): Promise<OpenIdSignIn>;
  /**
   * Asks the provider about a person again, with the refresh token (OpenID Connect Core 1.0 §12).
   *
   * @param subject `sub` of the person. @throws when the provider cannot be asked, or answers about someone else.
   */
  refresh(refreshToken: string, subject: string): Promise<OpenIdRefresh>;
  /** Returns the address that ends the person's session at the provider, or null (OpenID Connect RP-Initiated Logout 1.0 §2). */
  endSessionUrl(returnTo: string): Promise<URL | null>;
  /** Returns what verifies signatures of the provider. @throws when the provider cannot be reached. */
  signatures(): Promise<{ readonly issuer: string; readonly jwksUri: string | undefined }>;
}

const TIMEOUT_SECONDS = 10;

/** Largest answer of a provider: metadata, keys, tokens or claims. */
export const MAX_PROVIDER_BYTES = 1024 * 1024;

/** Time for which the provider's metadata and keys are cached. */
const METADATA_TTL_MS = 600_000;

/** @param options.now milliseconds since 1970. */
export function createOpenIdClient(
  provider: OpenIdProvider,
  options: { redirectUri: string; outgoing: Outgoing; now: () => number },
): OpenIdClient {
  const { redirectUri, outgoing, now } = options;
  let cache: { configuration: Promise<Configuration>; readAt: number } | null = null;
  const configurationOf = (): Promise<Configuration> => {
    if (cache === null || now() - cache.readAt >= METADATA_TTL_MS) {
      const entry = { configuration: discover(provider, outgoing), readAt: now() };
      entry.configuration.catch(() => {
        if (cache === entry) cache = null;
      });
      cache = entry;
    }
    return cache.configuration;
  };
  return {
    async begin({ verifier, nonce }, state) {
      return buildAuthorizationUrl(await configurationOf(), {
        redirect_uri: redirectUri,
        scope: provider.scope,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        nonce,
        state,
      });
    },
    async finish(answer, { verifier, nonce }, state) {
      const configuration = await configurationOf();
      const tokens = await authorizationCodeGrant(configuration, answer, {
        pkceCodeVerifier: verifier,
        expectedNonce: nonce,
        expectedState: state,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('the provider sent no ID token');
      const userInfo = await userInfoOf(configuration, tokens.access_token, claims.sub);
      return { claims: { ...userInfo, ...claims }, refreshToken: tokens.refresh_token ?? null };
    },
    async refresh(refreshToken, subject) {
      const configuration = await configurationOf();
      const tokens = await refreshTokenGrant(configuration, refreshToken).catch((error: unknown) => {
        if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return null;
        throw error;
      });
      if (tokens === null) return { kind: 'gone' };
      const claims = tokens.claims();
      if (claims !== undefined && claims.sub !== subject) throw new Error('the provider answered about another person');
      const userInfo = await userInfoOf(configuration, tokens.access_token, subject);
      const isSilent = claims === undefined && userInfo === null;
      return {
        kind: 'confirmed',
        claims: isSilent ? null : { ...userInfo, ...claims },
        refreshToken: tokens.refresh_token ?? refreshToken,
      };
    },
    async endSessionUrl(returnTo) {
      const configuration = await configurationOf();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
      return buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo });
    },
    async signatures() {
      const { issuer, jwks_uri: jwksUri } = (await configurationOf()).serverMetadata();
      return { issuer, jwksUri };
    },
  };
}

/** Returns UserInfo about the person, or null if the provider has none. @throws for an answer about someone else. */
async function userInfoOf(
  configuration: Configuration,
  accessToken: string,
  subject: string,
): Promise<OpenIdClaims | null> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return null;
  return fetchUserInfo(configuration, accessToken, subject);
}

/** Creates the random values of one sign-in. */
export function startSignIn(): StartedSignIn {
  return { verifier: randomPKCECodeVerifier(), nonce: randomNonce() };
}

async function discover(
  { issuer, clientId, clientSecret }: OpenIdProvider,
  outgoing: Outgoing,
): Promise<Configuration> {
  const url = new URL(issuer);
  const execute = [enableNonRepudiationChecks];
  if (url.protocol === 'http:') execute.push(allowInsecureRequests);
  return discovery(url, clientId, undefined, clientAuthOf(clientSecret), {
    timeout: TIMEOUT_SECONDS,
    [customFetch]: limitAnswers(outgoing, MAX_PROVIDER_BYTES),
    execute,
  });
}

/**
 * Returns the way in which the gateway authenticates: `client_secret_basic`, which is the default (OpenID Connect Discovery 1.0 §3), or
 * `client_secret_post` if the provider supports only that.
 */
function clientAuthOf(clientSecret: string): ClientAuth {
  const basic = ClientSecretBasic(clientSecret);
  const post = ClientSecretPost(clientSecret);
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}
