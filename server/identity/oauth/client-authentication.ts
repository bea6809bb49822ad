/** Who sends a request to the token endpoint: a public client by its id, others by their secret or their key. */

import type { GatewayContext } from '../../base/http/state.ts';
import { matchesHash } from '../../base/secrets.ts';
import type { OAuthClient } from '../../base/store/repositories/oauth-clients.ts';
import type { Partner } from '../../base/store/repositories/partners.ts';
import { authenticatePartner } from '../partners/secrets.ts';
import { type ClientCredentials, invalidClient, readClientCredentials } from '../protocol/client-credentials.ts';
import { OAuthError } from '../protocol/error.ts';
import type { Form } from '../protocol/form.ts';
import { readUnverifiedIssuer } from '../protocol/jwt.ts';
import { CLIENT_ASSERTION_TYPE, type ClientAssertionRules, verifyClientAssertion } from './client-assertion.ts';
import type { ClientLookup } from './client-documents/index.ts';

/** Credentials of a client as they were sent, not verified. */
export interface SentCredentials extends ClientCredentials {
  /** A JWT (RFC 7523 §2.2); undefined: none was sent. */
  readonly assertion: string | undefined;
  /** IP address of the request. */
  readonly address: string;
}

/** The parts of a request that identify its sender. */
type SenderContext = Pick<GatewayContext, 'get' | 'ip'>;

/** Finds the client or partner of a request, and authenticates it. @throws {OAuthError} */
export type AuthenticateSender = (credentials: SentCredentials) => Promise<Sender>;

/** An authenticated client or partner. */
export type Sender = { readonly client: OAuthClient } | { readonly partner: Partner };

/**
 * Reads the credentials of a form: a secret in one of the two ways, or an assertion, which names its client.
 *
 * @throws {OAuthError} `invalid_request` (400) for two ways at once (RFC 6749 §2.3), and as `readClientCredentials`.
 */
export function readSentCredentials(ctx: SenderContext, form: Form): SentCredentials {
  const clientSecret = form.get('client_secret');
  const named = { clientId: form.get('client_id'), clientSecret };
  const sent = { ...readClientCredentials(ctx.get('Authorization'), named), address: ctx.ip };
  const assertion = form.get('client_assertion');
  const type = form.get('client_assertion_type');
  if (assertion === undefined && type === undefined) return { ...sent, assertion };
  if (type !== CLIENT_ASSERTION_TYPE || assertion === undefined) {
    throw new OAuthError(
      400,
      'invalid_request',
      `client_assertion needs client_assertion_type ${CLIENT_ASSERTION_TYPE}.`,
    );
  }
  if (sent.basic || sent.clientSecret !== undefined) {
    throw new OAuthError(400, 'invalid_request', 'Send a client secret or a client assertion, not both.');
  }
  return { ...sent, clientId: sent.clientId ?? readUnverifiedIssuer(assertion), assertion };
}

/**
 * Authenticates the sender by the `Authorization` header, before the body is read.
 *
 * @returns undefined when there is no such header.
 * @throws {OAuthError} as `AuthenticateSender`.
 */
export async function authenticateByHeader(
  authenticate: AuthenticateSender,
  ctx: SenderContext,
): Promise<Sender | undefined> {
  const authorization = ctx.get('Authorization');
  if (authorization === '') return undefined;
  const sent = readClientCredentials(authorization, { clientId: undefined, clientSecret: undefined });
  return authenticate({ ...sent, assertion: undefined, address: ctx.ip });
}

/**
 * Creates the function that authenticates clients, each by the method that it registered or published: a public client by
 * its id alone. A secret is accepted in the header and in the body, whichever the client registered. An id that belongs to
 * no client may be a partner's.
 *
 * The returned function throws `invalid_client`, status 401, which makes MCP clients register again, and as
 * `verifyClientAssertion`.
 */
export function createClientAuthentication(
  rules: ClientAssertionRules & { readonly clients: Pick<ClientLookup, 'forToken'> },
): AuthenticateSender {
  return async (credentials) => {
    const { clientId, clientSecret, assertion, address } = credentials;
    if (clientId === undefined) throw invalidClient(credentials);
    const client = await rules.clients.forToken(clientId);
    if (client === undefined) {
      const isPartner = clientSecret !== undefined && assertion === undefined;
      const partner = isPartner ? await authenticatePartner(rules.db, { clientId, clientSecret }) : undefined;
      if (partner === undefined) throw invalidClient(credentials);
      return { partner };
    }
    const usesKey = client.authenticationMethod === 'private_key_jwt';
    if (usesKey !== (assertion !== undefined)) throw invalidClient(credentials);
    if (assertion !== undefined) await verifyClientAssertion({ assertion, address }, client, rules);
    else if (!hasSecret(client, clientSecret)) throw invalidClient(credentials);
    return { client };
  };
}

function hasSecret({ secretHash }: OAuthClient, clientSecret: string | undefined): boolean {
  if (secretHash === null || clientSecret === undefined) return secretHash === null && clientSecret === undefined;
  return matchesHash(clientSecret, secretHash);
}
