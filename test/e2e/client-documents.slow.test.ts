import { exportJWK, generateKeyPair } from 'jose';
import * as strict from 'oauth4webapi';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGuardedFetch, type GuardedFetch } from '../../server/base/guarded-fetch/index.ts';
import { LOOPBACK_NETWORKS } from '../../server/base/guarded-fetch/networks.ts';
import { verifies } from '../requirements/verifies.ts';
import { type DocumentServer, sendJson, startDocumentServer } from '../support/document-server.ts';
import { type OAuthGateway, READING_CALL, startOAuthGateway } from '../support/oauth-gateway.ts';
import { consent } from '../support/scripted-browser.ts';
import { REDIRECT_URI, type Sdk, v1Sdk, v2Sdk } from '../support/sdk-sign-in.ts';

const INSECURE = { [strict.allowInsecureRequests]: true } as const;

let server: DocumentServer;
let fetcher: GuardedFetch;
let gateway: OAuthGateway;
let clientId: string;
beforeAll(async () => {
  server = await startDocumentServer(['client.example']);
  fetcher = createGuardedFetch({ networks: LOOPBACK_NETWORKS, ca: server.ca, resolve: server.resolve });
  gateway = await startOAuthGateway({ CLIENT_ID_METADATA_DOCUMENTS: 'on' }, fetcher);
});
afterAll(async () => {
  await gateway?.close();
  await server?.close();
});

beforeEach(() => {
  clientId = `${server.origin}/client.json`;
  publish({ token_endpoint_auth_method: 'none' });
});

function publish(members: Readonly<Record<string, unknown>>): void {
  const document = {
    client_id: clientId,
    client_name: 'Published client',
    redirect_uris: ['http://127.0.0.1/callback'],
  };
  server.answer = sendJson({ ...document, ...members });
}

async function signIn({ memory, connect, finish, Unauthorized }: Sdk) {
  await expect(connect()).rejects.toThrow(Unauthorized);
  await finish((await consent({ url: memory.url!, connectionCode: await gateway.connectionCode() })).searchParams);
  return connect();
}

async function registrations(): Promise<string[]> {
  const rows = await gateway.store.db.selectFrom('oauth_clients').select('client_id').execute();
  return rows.map((row) => row.client_id);
}

describe('the official clients with a client metadata URL', () => {
  test('the v2 SDK signs in without a registration, calls a tool, and refreshes', async () => {
    verifies('cimd-fetch');
    const sdk = v2Sdk(gateway.url, 'auto', { clientMetadataUrl: clientId });
    const { memory } = sdk;
    const client = await signIn(sdk);
    expect(memory.client).toMatchObject({ client_id: clientId });
    expect((await client.callTool(READING_CALL)).structuredContent).toHaveProperty('scored_chunks');
    const before = memory.tokens;
    await gateway.store.db.updateTable('access_tokens').set({ expires_at: 1 }).execute();
    expect((await client.callTool(READING_CALL)).isError ?? false).toBe(false);
    expect(memory.tokens).not.toEqual(before);
    await client.close();
    expect(await registrations()).toEqual([clientId]);
  });

  test('the v1 SDK signs in without a registration, and calls a tool', async () => {
    verifies('cimd-fetch');
    const client = await signIn(v1Sdk(gateway.url, { clientMetadataUrl: clientId }));
    expect((await client.callTool(READING_CALL)).structuredContent).toHaveProperty('scored_chunks');
    await client.close();
    expect(await registrations()).toEqual([clientId]);
  });
});

describe('oauth4webapi with private_key_jwt', () => {
  test.each(['ES256', 'PS256', 'Ed25519'])('signs in with an %s key from its metadata document', async (alg) => {
    verifies('rfc7523-2.2-assertion', 'cimd-authentication');
    clientId = `${server.origin}/${alg}.json`;
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: alg }] };
    server.answer = (request, response) => {
      if (request.url === `/${alg}-keys.json`) return sendJson(jwks)(request, response);
      const keys = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: `${server.origin}/${alg}-keys.json` };
      const document = { client_id: clientId, redirect_uris: [REDIRECT_URI], ...keys };
      return sendJson(document)(request, response);
    };
    const issuer = new URL(gateway.issuer);
    const discovery = await strict.discoveryRequest(issuer, { algorithm: 'oauth2', ...INSECURE });
    const as = await strict.processDiscoveryResponse(issuer, discovery);
    expect(as.token_endpoint_auth_methods_supported).toContain('private_key_jwt');

    const codeVerifier = strict.generateRandomCodeVerifier();
    const url = new URL(as.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      code_challenge: await strict.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    }).toString();
    const callback = await consent({ url, connectionCode: await gateway.connectionCode() });
    const client = { client_id: clientId };
    const parameters = strict.validateAuthResponse(as, client, callback, strict.expectNoState);
    const proof = strict.PrivateKeyJwt({ key: privateKey, kid: alg });
    const answer = await strict.authorizationCodeGrantRequest(
      as,
      client,
      proof,
      parameters,
      REDIRECT_URI,
      codeVerifier,
      INSECURE,
    );
    const tokens = await strict.processAuthorizationCodeResponse(as, client, answer);
    const refreshed = await strict.refreshTokenGrantRequest(as, client, proof, tokens.refresh_token ?? '', INSECURE);
    expect(await strict.processRefreshTokenResponse(as, client, refreshed)).toHaveProperty('access_token');
  });
});
