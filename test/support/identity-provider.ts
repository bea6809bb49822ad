/** An enterprise's identity provider: its own keys, ID tokens, and ID-JAGs for them by token exchange (RFC 8693). */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';

/** A key pair. The public key has `kid` and `alg`. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

export async function createSigningKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg } };
}

/** Signs claims as an ID-JAG; `header` overrides members, and undefined ones are omitted. */
export function signAssertion(
  key: SigningKey,
  claims: JWTPayload,
  header: Partial<Record<keyof JWTHeaderParameters, string | undefined>> = {},
): Promise<string> {
  const { kid, alg } = key;
  const all = { alg, kid, typ: 'oauth-id-jag+jwt', ...header };
  const named = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new SignJWT(claims).setProtectedHeader({ alg, ...named }).sign(key.privateKey);
}

/** What the provider allows a client, and the client's ids at the provider and at the gateway. */
export interface ProviderPolicy {
  readonly idpClientId: string;
  readonly idpClientSecret: string;
  /** The client's id at the gateway. */
  readonly clientId: string;
  /** The broadest scopes that users may grant the client. */
  readonly scopes: readonly string[];
}

export interface IdentityProvider {
  /** `iss`. */
  readonly issuer: string;
  readonly jwks: { readonly keys: readonly JWK[] };
  /** Null: no assertions are issued. */
  policy: ProviderPolicy | null;
  /** Number of assertions issued. */
  issued: number;
  /** Returns the ID token of a user's sign-in to the client. */
  signIn(user: { sub: string; email?: string }, idpClientId: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts a provider on this machine. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const key = await createSigningKey('provider-key');
  const server = createServer((request, response) => {
    answer(provider, key, request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: IdentityProvider = {
    issuer,
    jwks: { keys: [key.jwk] },
    policy: null,
    issued: 0,
    signIn: (user, idpClientId) =>
      new SignJWT(user)
        .setProtectedHeader({ alg: key.alg, kid: key.kid })
        .setIssuer(issuer)
        .setAudience(idpClientId)
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(key.privateKey),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

async function answer(
  provider: IdentityProvider,
  key: SigningKey,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { issuer } = provider;
  const send = (status: number, body: unknown) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  if (request.url === '/jwks') return send(200, provider.jwks);
  if (request.url === '/token')
    return send(...(await exchange(provider, key, new URLSearchParams(await text(request)))));
  if (!request.url?.startsWith('/.well-known/o')) return send(404, {});
  send(200, {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    grant_types_supported: ['urn:ietf:params:oauth:grant-type:token-exchange'],
  });
}

async function exchange(
  provider: IdentityProvider,
  key: SigningKey,
  form: URLSearchParams,
): Promise<[number, Record<string, unknown>]> {
  const { policy, issuer } = provider;
  const requested = form.get('requested_token_type');
  const known = form.get('client_id') === policy?.idpClientId && form.get('client_secret') === policy?.idpClientSecret;
  if (policy === null || !known) return [401, { error: 'invalid_client' }];
  if (requested !== 'urn:ietf:params:oauth:token-type:id-jag') return [400, { error: 'invalid_request' }];
  const { payload } = await jwtVerify(form.get('subject_token') ?? '', key.publicKey, {
    issuer,
    audience: policy.idpClientId,
  });
  const asked = form.get('scope')?.split(' ') ?? policy.scopes;
  const scope = asked.filter((name) => policy.scopes.includes(name)).join(' ');
  const now = Math.floor(Date.now() / 1000);
  provider.issued += 1;
  const assertion = await signAssertion(key, {
    iss: issuer,
    sub: payload.sub ?? '',
    ...(payload.email === undefined ? {} : { email: payload.email }),
    aud: form.get('audience') ?? '',
    resource: form.get('resource'),
    client_id: policy.clientId,
    jti: `assertion-${provider.issued}`,
    iat: now,
    exp: now + 300,
    scope,
  });
  return [200, { issued_token_type: requested, access_token: assertion, token_type: 'N_A', scope, expires_in: 300 }];
}
