/** Client assertions: a client authenticates with a JWT signed with its key, `private_key_jwt` (RFC 7523 §2.2). */

import type { Kysely } from 'kysely';
import { GuardedFetchError } from '../../base/guarded-fetch/index.ts';
import { countUse } from '../../base/http/rate-limit.ts';
import type { RateLimiter } from '../../base/rate-limiter.ts';
import { hashSecret } from '../../base/secrets.ts';
import type { OAuthClient } from '../../base/store/repositories/oauth-clients.ts';
import { takeOnce } from '../../base/store/repositories/single-use-codes.ts';
import type { Database } from '../../base/store/schema.ts';
import { OAuthError } from '../protocol/error.ts';
import { CLOCK_TOLERANCE_SECONDS, JwtError, type VerifiedJwt, verifyJwt } from '../protocol/jwt.ts';
import { TOKEN_PATH } from './paths.ts';
import type { FindKeys } from './remote-keys.ts';

export const CLIENT_ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export interface ClientAssertionRules {
  readonly db: Kysely<Database>;
  /** The gateway's origin, without a final slash. */
  readonly issuer: string;
  readonly findKeys: FindKeys;
  /** Limits, per client address, assertions of clients that no user has ever allowed anything. */
  readonly unusedClientLimit: RateLimiter;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** An assertion as sent, and the IP address of its sender. */
interface SentAssertion {
  readonly assertion: string;
  readonly address: string;
}

/** Assertions per minute of clients that no user has ever allowed anything. To be allowed something takes only one. */
export const UNUSED_CLIENT_ASSERTIONS_PER_MINUTE = 30;

/** Longest lifetime of an assertion. It serves one request, but some clients set ten minutes. */
const MAX_LIFETIME_SECONDS = 600;

/** The type of draft-ietf-oauth-rfc7523bis, or those that libraries write by default. Never that of another kind of JWT. */
const TYPES = [null, 'JWT', 'client-authentication+jwt'];

const PURPOSE = 'client-assertion';

/**
 * Verifies an assertion: signed with a key of the client, `iss` and `sub` are its id, `aud` is the issuer alone or the token
 * endpoint alone, short-lived, and used once across all nodes (RFC 7523 §3, OpenID Connect Core §9).
 *
 * Each is stored until it expires, and anyone can register a client and sign any number: hence `unusedClientLimit`.
 *
 * @throws {OAuthError} `invalid_client` (401) with the rule that it breaks; `server_error` (503) when the client's keys cannot
 * be fetched.
 * @throws {RequestError} `too_many_requests`, status 429.
 */
export async function verifyClientAssertion(
  { assertion, address }: SentAssertion,
  client: OAuthClient,
  rules: ClientAssertionRules,
): Promise<void> {
  const { claims } = await verify(assertion, client, rules);
  if (claims.sub !== client.clientId) throw refused('subject');
  if (typeof claims.jti !== 'string' || claims.jti === '') throw refused('claims');
  if (!client.wasAllowed) await countUse(rules.unusedClientLimit, address);
  const unused = await takeOnce(rules.db, {
    hash: hashSecret(JSON.stringify([PURPOSE, client.clientId, claims.jti])),
    purpose: PURPOSE,
    now: rules.now(),
    expiresAt: (claims.exp + CLOCK_TOLERANCE_SECONDS) * 1000,
  });
  if (!unused) throw refused('replay');
}

async function verify(assertion: string, client: OAuthClient, rules: ClientAssertionRules): Promise<VerifiedJwt> {
  try {
    return await verifyJwt(assertion, {
      keys: rules.findKeys(client),
      issuer: client.clientId,
      audience: [rules.issuer, rules.issuer + TOKEN_PATH],
      typ: TYPES,
      requiredClaims: ['sub', 'jti'],
      maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
      now: rules.now(),
    });
  } catch (error) {
    if (error instanceof JwtError) throw refused(error.problem, error);
    if (!(error instanceof GuardedFetchError)) throw error;
    const description = `The document with the keys of the client ${error.description}.`;
    throw new OAuthError(503, 'server_error', description, { cause: error });
  }
}

function refused(problem: string, cause?: Error): OAuthError {
  const description = `The client assertion is refused (${problem}).`;
  return new OAuthError(401, 'invalid_client', description, { cause });
}
