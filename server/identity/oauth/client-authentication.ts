/** Authenticates the sender of a request to the token endpoint: a public client by its id, others by their secret or their key. */

import type { Kysely } from 'kysely';
import { GuardedFetchError } from '../../base/guarded-fetch/index.ts';
import { countUse } from '../../base/http/caller-limits.ts';
import type { GatewayContext } from '../../base/http/state.ts';
import type { RateLimiter } from '../../base/limits/limiter.ts';
import { hashSecret, isSameHash } from '../../base/principal/secrets.ts';
import type { OAuthClient } from '../../base/store/repositories/oauth-clients.ts';
import type { Partner } from '../../base/store/repositories/partners.ts';
import { takeOnce } from '../../base/store/repositories/single-use-codes.ts';
import type { Database, Executor } from '../../base/store/schema.ts';
import { authenticatePartner } from '../partners/secrets.ts';
import { type ClientCredentials, invalidClient, readClientCredentials } from '../protocol/client-credentials.ts';
import { OAuthError } from '../protocol/error.ts';
import type { Form } from '../protocol/form.ts';
import {
  CLOCK_TOLERANCE_SECONDS,
  JwtError,
  readUnverifiedIssuer,
  type VerifiedJwt,
  verifyJwt,
} from '../protocol/jwt.ts';
import type { ClientLookup } from './client-documents.ts';
import { TOKEN_PATH } from './paths.ts';
import type { FindKeys } from './remote-keys.ts';

const CLIENT_ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Assertions per minute of clients that no user has ever allowed anything. A client needs only one assertion before a user allows it something. */
export const UNUSED_CLIENT_ASSERTIONS_PER_MINUTE = 30;

/** Longest lifetime of an assertion. It serves one request, but some clients set ten minutes. */
const MAX_LIFETIME_SECONDS = 600;

/**
 * Accepted types: that of draft-ietf-oauth-rfc7523bis, and those that libraries write by default. The type of another kind of JWT is never accepted.
 */
const TYPES = [null, 'JWT', 'client-authentication+jwt'];

const PURPOSE = 'client-assertion';

/** Credentials of a client as they were sent, not verified. */
export interface SentCredentials extends ClientCredentials {
  /** A JWT (RFC 7523 §2.2). Undefined if none was sent. */
  readonly assertion: string | undefined;
  /** IP address of the request. */
  readonly address: string;
}

/** Finds the client or partner of a request, and authenticates it. @throws {OAuthError} */
export type AuthenticateSender = (credentials: SentCredentials) => Promise<Sender>;

/** An authenticated client or partner. */
export type Sender = { readonly client: OAuthClient } | { readonly partner: Partner };

/**
 * Reads the credentials of a form: a secret in one of the two ways, or an assertion, which names its client.
 *
 * @throws {OAuthError} `invalid_request` (400) for two ways at once (RFC 6749 §2.3), and as `readClientCredentials`.
 */
export function readSentCredentials(ctx: GatewayContext, form: Form): SentCredentials {
  const clientSecret = form.get('client_secret');
  const ofForm = { clientId: form.get('client_id'), clientSecret };
  const credentials = { ...readClientCredentials(ctx.get('Authorization'), ofForm), address: ctx.ip };
  const assertion = form.get('client_assertion');
  const type = form.get('client_assertion_type');
  if (assertion === undefined && type === undefined) return { ...credentials, assertion };
  if (type !== CLIENT_ASSERTION_TYPE || assertion === undefined) {
    throw new OAuthError(
      400,
      'invalid_request',
      `client_assertion needs client_assertion_type ${CLIENT_ASSERTION_TYPE}.`,
    );
  }
  if (credentials.basic || credentials.clientSecret !== undefined) {
    throw new OAuthError(400, 'invalid_request', 'Send a client secret or a client assertion, not both.');
  }
  return { ...credentials, clientId: credentials.clientId ?? readUnverifiedIssuer(assertion), assertion };
}

/**
 * Authenticates the sender by the `Authorization` header, before the body is read.
 *
 * @returns undefined when there is no such header.
 * @throws {OAuthError} as `AuthenticateSender`.
 */
export async function authenticateByHeader(
  authenticate: AuthenticateSender,
  ctx: GatewayContext,
): Promise<Sender | undefined> {
  const authorization = ctx.get('Authorization');
  if (authorization === '') return undefined;
  const credentials = readClientCredentials(authorization, { clientId: undefined, clientSecret: undefined });
  return authenticate({ ...credentials, assertion: undefined, address: ctx.ip });
}

/** Dependencies of authentication. */
interface AuthenticationContext {
  readonly db: Kysely<Database>;
  /** The gateway's origin, without a final slash. */
  readonly issuer: string;
  readonly clients: ClientLookup;
  readonly findKeys: FindKeys;
  /** Limits, per client address, assertions of clients that no user has ever allowed anything. */
  readonly unusedClientLimit: RateLimiter;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Creates the function that authenticates clients, each by the method that it registered or published: a public client by
 * its id alone. A secret is accepted in the header and in the body, whichever the client registered. An id that belongs to
 * no client may be a partner's.
 *
 * The returned function throws `invalid_client`, status 401, which makes MCP clients register again, and as
 * `verifyClientAssertion`.
 */
export function createClientAuthentication(context: AuthenticationContext): AuthenticateSender {
  return async (credentials) => {
    const { clientId, clientSecret, assertion, address } = credentials;
    if (clientId === undefined) throw invalidClient(credentials);
    const client = await context.clients.forToken(clientId);
    if (client === undefined) {
      const isPartner = clientSecret !== undefined && assertion === undefined;
      const partner = isPartner ? await authenticatePartner(context.db, { clientId, clientSecret }) : undefined;
      if (partner === undefined) throw invalidClient(credentials);
      return { partner };
    }
    const usesKey = client.authenticationMethod === 'private_key_jwt';
    if (usesKey !== (assertion !== undefined)) throw invalidClient(credentials);
    if (assertion !== undefined) await verifyClientAssertion({ assertion, address }, client, context);
    else if (!hasSecret(context.db, client, clientSecret)) throw invalidClient(credentials);
    return { client };
  };
}

function hasSecret(db: Executor, { secretHash }: OAuthClient, clientSecret: string | undefined): boolean {
  if (secretHash === null || clientSecret === undefined) return secretHash === null && clientSecret === undefined;
  return isSameHash(hashSecret(db, clientSecret), secretHash);
}

/**
 * Verifies a client assertion, `private_key_jwt` (RFC 7523 §2.2): signed with a key of the client, `iss` and `sub` are its id, `aud` is the issuer alone or the token
 * endpoint alone, short-lived, and used once across all nodes (RFC 7523 §3, OpenID Connect Core §9).
 *
 * Each is stored until it expires, and anyone can register a client and sign any number: hence `unusedClientLimit`.
 *
 * @throws {OAuthError} `invalid_client` (401) with the rule that it breaks; `server_error` (503) when the client's keys cannot
 * be fetched.
 * @throws {RequestError} `too_many_requests`, status 429.
 */
async function verifyClientAssertion(
  { assertion, address }: { readonly assertion: string; readonly address: string },
  client: OAuthClient,
  context: AuthenticationContext,
): Promise<void> {
  const { claims } = await verify(assertion, client, context);
  if (claims.sub !== client.clientId) throw refused('subject');
  if (typeof claims.jti !== 'string' || claims.jti === '') throw refused('claims');
  if (!client.wasAllowed) await countUse(context.unusedClientLimit, address);
  const unused = await takeOnce(context.db, {
    hash: hashSecret(context.db, JSON.stringify([PURPOSE, client.clientId, claims.jti])),
    purpose: PURPOSE,
    now: context.now(),
    expiresAt: (claims.exp + CLOCK_TOLERANCE_SECONDS) * 1000,
  });
  if (!unused) throw refused('replay');
}

async function verify(assertion: string, client: OAuthClient, context: AuthenticationContext): Promise<VerifiedJwt> {
  try {
    return await verifyJwt(assertion, {
      keys: context.findKeys(client),
      issuer: client.clientId,
      audience: [context.issuer, context.issuer + TOKEN_PATH],
      typ: TYPES,
      requiredClaims: ['sub', 'jti'],
      maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
      now: context.now(),
    });
  } catch (error) {
    if (error instanceof JwtError) throw refused(error.problem, error);
    if (!(error instanceof GuardedFetchError)) throw error;
    const description = `The document with the keys of the client ${error.description}.`;
    // Not invalid_client: clients drop their registration when they read that.
    throw new OAuthError(503, 'server_error', description, { cause: error });
  }
}

function refused(problem: string, cause?: Error): OAuthError {
  const description = `The client assertion is refused (${problem}).`;
  return new OAuthError(401, 'invalid_client', description, { cause });
}
