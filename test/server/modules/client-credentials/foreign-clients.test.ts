import { ClientCredentialsProvider, PrivateKeyJwtProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { exportPKCS8, generateKeyPair } from 'jose';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OAuthGateway, READING_CALL, startOAuthGateway } from '../../../support/oauth-gateway.ts';
import { consent } from '../../../support/scripted-browser.ts';

const BACK = 'https://acme.example/back';
const INSECURE = { [oauth.allowInsecureRequests]: true } as const;

let gateway: OAuthGateway;
let keys: CryptoKeyPair;
let jwk: object;
beforeAll(async () => {
  gateway = await startOAuthGateway({ CLIENT_CREDENTIALS: 'on' });
  keys = (await generateKeyPair('ES256', { extractable: true })) as CryptoKeyPair;
  jwk = { ...(await crypto.subtle.exportKey('jwk', keys.publicKey)), kid: 'one', alg: 'ES256', key_ops: undefined };
});
afterAll(() => gateway.close());

async function register(more: object): Promise<{ client_id: string; client_secret: string | null }> {
  const answer = await fetch(`${gateway.issuer}/api/partner/users/ada/clients`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Basic ${Buffer.from(`test:${gateway.partnerSecret}`).toString('base64')}`,
    },
    body: JSON.stringify({ client_name: 'Nightly report', redirect_uris: [BACK], ...more }),
  });
  expect(answer.status).toBe(201);
  return (await answer.json()) as never;
}

async function allow(clientId: string): Promise<void> {
  const url = new URL('/api/mcp/oauth/authorize', gateway.issuer);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: BACK,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    state: 'x',
  }).toString();
  const { searchParams } = await consent({ url, connectionCode: await gateway.connectionCode(), access: 'read' });
  expect(searchParams.get('code')).toMatch(/^utg_ac_/);
}

async function discover(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(gateway.issuer);
  const answer = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...INSECURE });
  return oauth.processDiscoveryResponse(issuer, answer);
}

const METHODS = ['client_secret_basic', 'private_key_jwt'] as const;
const metadataOf = (method: (typeof METHODS)[number]) => ({
  token_endpoint_auth_method: method,
  ...(method === 'private_key_jwt' ? { jwks: { keys: [jwk] } } : {}),
});

describe.each(METHODS)('client credentials by %s', (method) => {
  test('give oauth4webapi a token of what the user allowed, and no refresh token', async () => {
    const { client_id, client_secret } = await register(metadataOf(method));
    await allow(client_id);
    const server = await discover();
    expect(server.grant_types_supported).toContain('client_credentials');
    expect(server.token_endpoint_auth_methods_supported).toContain(method);
    const authentication =
      client_secret === null
        ? oauth.PrivateKeyJwt({ key: keys.privateKey, kid: 'one' })
        : oauth.ClientSecretBasic(client_secret);
    const parameters = new URLSearchParams({ resource: gateway.url });
    const answer = await oauth.clientCredentialsGrantRequest(
      server,
      { client_id },
      authentication,
      parameters,
      INSECURE,
    );
    const tokens = await oauth.processClientCredentialsResponse(server, { client_id }, answer);
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^utg_at_/),
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'tools:read',
    });
  });

  test("let the official SDK's provider call a tool for the user", async () => {
    const { client_id: clientId, client_secret: clientSecret } = await register(metadataOf(method));
    await allow(clientId);
    const authProvider =
      clientSecret === null
        ? new PrivateKeyJwtProvider({
            clientId,
            privateKey: await exportPKCS8(keys.privateKey),
            algorithm: 'ES256',
            expectedIssuer: gateway.issuer,
          })
        : new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer: gateway.issuer });
    const client = new Client({ name: 'headless', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { authProvider }));
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(5);
    expect((await client.callTool(READING_CALL)).isError).toBeFalsy();
    expect(authProvider.tokens()?.refresh_token).toBeUndefined();
    await client.close();
  });

  test('are refused before the user has allowed the client', async () => {
    const { client_id: clientId, client_secret: clientSecret } = await register(metadataOf(method));
    const authProvider =
      clientSecret === null
        ? new PrivateKeyJwtProvider({
            clientId,
            privateKey: await exportPKCS8(keys.privateKey),
            algorithm: 'ES256',
            expectedIssuer: gateway.issuer,
          })
        : new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer: gateway.issuer });
    const client = new Client({ name: 'headless', version: '1.0.0' });
    const connecting = client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { authProvider }));
    await expect(connecting).rejects.toThrow(/has not allowed this client/);
  });
});
