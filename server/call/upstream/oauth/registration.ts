/** Registers the gateway as a client at an upstream's authorization server (RFC 7591), and again once that no longer knows it. */

import { z } from 'zod';
import type { UpstreamClient, UpstreamClients } from '../../../base/credentials/upstream-clients.ts';
import { limitAnswers } from '../../../base/guarded-fetch/limited-fetch.ts';
import type { Outgoing } from '../../../base/guarded-fetch/outgoing.ts';
import type { OAuth2Rules } from '../../../contract/index.ts';

/** Short, because a renewal that finds its client refused waits for it. */
const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 64 * 1024;

type ClientAuthentication = OAuth2Rules['clientAuthentication'];

const METHODS = {
  basic: 'client_secret_basic',
  body: 'client_secret_post',
  none: 'none',
} as const satisfies Record<ClientAuthentication, string>;

/** The gateway as its client metadata describe it. */
interface GatewayClient {
  readonly publicUrl: string;
  readonly redirectUris: readonly string[];
  readonly clientAuthentication: ClientAuthentication;
}

/** Returns the client metadata of the gateway (RFC 7591 §2, OpenID Connect Registration §2). */
export function buildClientMetadata({ publicUrl, redirectUris, clientAuthentication }: GatewayClient) {
  return {
    client_name: 'Unified Tool Gateway',
    client_uri: publicUrl,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: METHODS[clientAuthentication],
    // Web clients have https redirect URIs; a gateway on this machine has none.
    application_type: publicUrl.startsWith('https://') ? 'web' : 'native',
  };
}

/** A client that an authorization server issued. */
export interface RegisteredClient {
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  /** Milliseconds since 1970. Null if the secret does not expire. */
  readonly secretExpiresAt: number | null;
}

/** A registration that failed. The message says why, with at most a status and an error code of the server. */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError';
}

/** RFC 6749 appendix A.1 and A.2: printable ASCII. */
const printable = z.string().regex(/^[\x21-\x7e](?:[\x20-\x7e]{0,2046}[\x21-\x7e])?$/);

/** RFC 7591 §3.2.1. */
const answerSchema = z.object({
  client_id: printable,
  client_secret: printable.optional(),
  client_secret_expires_at: z.number().int().min(0).max(1e11).optional(),
  token_endpoint_auth_method: z.string().optional(),
  redirect_uris: z.array(z.string()).optional(),
});

const errorSchema = z.object({ error: z.string().regex(/^[a-z_]{1,64}$/) });

/**
 * Sends one registration request. Redirects are not followed.
 *
 * @throws {RegistrationError} also for a client that the gateway could not use: with another redirect URI, or another way to authenticate.
 */
export async function registerClient(
  url: string,
  client: GatewayClient,
  outgoing: Outgoing,
): Promise<RegisteredClient> {
  const { status, body } = await post(url, buildClientMetadata(client), outgoing);
  if (status !== 200 && status !== 201) {
    const code = errorSchema.safeParse(body).data?.error;
    throw new RegistrationError(`it answered with ${status}${code === undefined ? '' : ` ${code}`}`);
  }
  const answer = answerSchema.safeParse(body).data;
  if (answer === undefined) throw new RegistrationError('its answer is no client (RFC 7591 §3.2.1)');
  const { client_secret: secret = null, client_secret_expires_at: expiresAt = 0 } = answer;
  const method = METHODS[client.clientAuthentication];
  const issuedMethod = answer.token_endpoint_auth_method ?? method;
  if (issuedMethod !== method || (secret === null && method !== 'none')) {
    throw new RegistrationError(
      `its client cannot authenticate with ${method}: set clientAuthentication in connector.yaml`,
    );
  }
  const issuedUris = answer.redirect_uris ?? client.redirectUris;
  if (client.redirectUris.some((uri) => !issuedUris.includes(uri))) {
    throw new RegistrationError('its client has another redirect URI');
  }
  return {
    clientId: answer.client_id,
    clientSecret: method === 'none' ? null : secret,
    secretExpiresAt: expiresAt === 0 || method === 'none' ? null : expiresAt * 1000,
  };
}

async function post(url: string, metadata: object, outgoing: Outgoing): Promise<{ status: number; body: unknown }> {
  const send = limitAnswers(outgoing, MAX_ANSWER_BYTES);
  try {
    const response = await send(url, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    return { status: response.status, body: parse(text) };
  } catch (error) {
    throw new RegistrationError('it gave no answer that can be used', { cause: error });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

interface RenewalOptions {
  readonly clients: Pick<UpstreamClients, 'claimRegistration' | 'findById' | 'put'>;
  readonly outgoing: Outgoing;
  /** The gateway as the client of the service. */
  readonly self: GatewayClient;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Registers a client again that its authorization server refused, such as one whose secret has expired. Once an hour, on all nodes
 * together; a client that someone entered is left alone, also one that replaces this one meanwhile.
 *
 * @returns true if there is another client now. @throws {RegistrationError}
 */
export async function registerAgain(client: UpstreamClient, options: RenewalOptions): Promise<boolean> {
  const { clients, outgoing, self, now } = options;
  const { id, service, registrationUrl } = client;
  if (registrationUrl === undefined || !(await clients.claimRegistration(client, now()))) return false;
  const registered = await registerClient(registrationUrl, self, outgoing);
  // Someone may have entered another secret for the same client meanwhile.
  if ((await clients.findById(id))?.registrationUrl !== registrationUrl) return false;
  await clients.put({ partnerId: null, service, registrationUrl, ...registered }, { now: now() });
  return true;
}
