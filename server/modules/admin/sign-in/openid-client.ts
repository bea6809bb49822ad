/** The company's OpenID provider, which tells the dashboard who signs in (OpenID Connect Core 1.0 §3.1). */

import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
} from 'openid-client';
import type { Outgoing } from '../../../base/guarded-fetch/outgoing.ts';
import type { OperatorClaims, OperatorProvider } from '../operator-rules.ts';

/** Values that finish a started sign-in. Only the browser that started it has them. */
interface StartedSignIn {
  /** RFC 7636 §4.1. */
  readonly verifier: string;
  /** OpenID Connect Core 1.0 §3.1.2.1. */
  readonly nonce: string;
}

/** The gateway as a client of the provider. */
interface OpenIdClient {
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
   * @returns the provider's claims about the person: from the ID token and, for all others, UserInfo.
   * @throws when the answer is not valid.
   */
  finish(answer: URL, started: StartedSignIn, state: string): Promise<OperatorClaims & { readonly sub: string }>;
}

const TIMEOUT_SECONDS = 10;

/** Time for which the provider's metadata and keys are cached. */
const METADATA_TTL_MS = 600_000;

/** @param options.now milliseconds since 1970. */
export function createOpenIdClient(
  provider: OperatorProvider,
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
      if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
      return { ...(await fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
    },
  };
}

/** Creates the random values of one sign-in. */
export function startSignIn(): StartedSignIn {
  return { verifier: randomPKCECodeVerifier(), nonce: randomNonce() };
}

async function discover(
  { issuer, clientId, clientSecret }: OperatorProvider,
  outgoing: Outgoing,
): Promise<Configuration> {
  const url = new URL(issuer);
  const execute = [enableNonRepudiationChecks];
  if (url.protocol === 'http:') execute.push(allowInsecureRequests);
  return discovery(url, clientId, undefined, clientAuthOf(clientSecret), {
    timeout: TIMEOUT_SECONDS,
    [customFetch]: outgoing.fetch,
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
