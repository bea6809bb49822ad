/** Verifies logout tokens of the provider (OpenID Connect Back-Channel Logout 1.0 §2.6). */

import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify } from 'jose';
import { limitAnswers } from '../../../server/base/guarded-fetch/limited-fetch.ts';
import type { Outgoing } from '../../../server/base/guarded-fetch/outgoing.ts';
import { MAX_PROVIDER_BYTES, type OpenIdClient } from '../../../server/base/http/openid-client.ts';
import type { Logout } from '../store/people.ts';

/** The token is not valid. The message says why, without repeating it. */
export class LogoutTokenError extends Error {
  override readonly name = 'LogoutTokenError';
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Longest age of a token, also of one that says it expires later. */
const MAX_AGE_SECONDS = 300;
const CLOCK_SKEW_SECONDS = 60;
const MAX_TOKEN_LENGTH = 16_384;
const MAX_ID_LENGTH = 1000;

/** Codes of errors that say that the token is wrong. Any other says that the provider's keys could not be read. */
const OF_TOKEN = /^ERR_(JWT|JWS|JWKS_(NO|MULTIPLE)|JOSE_(ALG|NOT_SUPPORTED))/;

/** Signatures only: `none` and keyed hashes, which anyone who knows the client secret can make, are refused. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** @returns verifies a token. It throws {LogoutTokenError}, or another error if the provider's keys cannot be read. */
export function createLogoutVerifier(options: {
  readonly client: OpenIdClient;
  readonly clientId: string;
  readonly outgoing: Outgoing;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}): (token: string) => Promise<Logout> {
  const { client, clientId, outgoing, now } = options;
  let keys: { readonly uri: string; readonly set: ReturnType<typeof createRemoteJWKSet> } | null = null;
  return async (token) => {
    if (token.length > MAX_TOKEN_LENGTH) throw new LogoutTokenError('the logout token is too long');
    const { issuer, jwksUri } = await client.signatures();
    if (jwksUri === undefined) throw new Error('the metadata of the provider has no jwks_uri');
    if (keys?.uri !== jwksUri) {
      const fetchKeys = limitAnswers(outgoing, MAX_PROVIDER_BYTES);
      keys = { uri: jwksUri, set: createRemoteJWKSet(new URL(jwksUri), { [customFetch]: fetchKeys }) };
    }
    const verified = await jwtVerify(token, keys.set, {
      issuer,
      audience: clientId,
      algorithms: ALGORITHMS,
      currentDate: new Date(now()),
      maxTokenAge: MAX_AGE_SECONDS,
      clockTolerance: CLOCK_SKEW_SECONDS,
    }).catch((error: unknown) => {
      if (error instanceof Error && OF_TOKEN.test(String((error as { code?: string }).code)))
        throw new LogoutTokenError(error.message);
      throw error;
    });
    return readLogout(verified.payload);
  };
}

function readLogout({ jti, sub, sid, events, nonce, iat = 0 }: JWTPayload): Logout {
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_LENGTH)
    throw new LogoutTokenError('the logout token has no usable jti');
  if (nonce !== undefined) throw new LogoutTokenError('the logout token has a nonce, as an ID token');
  const event = typeof events === 'object' && events !== null ? (events as Record<string, unknown>)[EVENT] : undefined;
  if (typeof event !== 'object' || event === null)
    throw new LogoutTokenError(`the logout token does not have the event ${EVENT}`);
  const subject = typeof sub === 'string' && sub !== '' ? sub : null;
  const providerSession = typeof sid === 'string' && sid !== '' ? sid : null;
  if (subject === null && providerSession === null)
    throw new LogoutTokenError('the logout token has neither sub nor sid');
  return { id: jti, subject, providerSession, expiresAt: (iat + MAX_AGE_SECONDS + CLOCK_SKEW_SECONDS) * 1000 };
}
