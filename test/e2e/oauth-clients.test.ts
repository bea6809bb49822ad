import * as strict from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../requirements/verifies.ts';
import { type OAuthGateway, READING_CALL, startOAuthGateway } from '../support/oauth-gateway.ts';
import { consent } from '../support/scripted-browser.ts';

const REDIRECT_URI = 'http://127.0.0.1:7000/callback';
const INSECURE = { [strict.allowInsecureRequests]: true } as const;

let gateway: OAuthGateway;
let later = 0;
beforeAll(async () => {
  gateway = await startOAuthGateway({}, undefined, () => Date.now() + later);
});
afterAll(() => gateway?.close());

async function callTool(accessToken: string, client = strict.protectedResourceRequest): Promise<Response> {
  const headers = new Headers({
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2025-11-25',
  });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: READING_CALL });
  return client(accessToken, 'POST', new URL(gateway.url), headers, body, INSECURE);
}

async function refusalOf(refused: Promise<unknown>): Promise<unknown> {
  return refused.then(
    () => new Error('nothing was refused'),
    (error: unknown) => error,
  );
}

interface Discovered {
  readonly server: strict.AuthorizationServer;
  readonly resource: strict.ResourceServer;
  readonly scope: string | undefined;
}

async function discoverFromChallenge(): Promise<Discovered> {
  const refused = await refusalOf(callTool('utg_at_unknown'));
  expect(refused).toBeInstanceOf(strict.WWWAuthenticateChallengeError);
  const challenge = (refused as strict.WWWAuthenticateChallengeError).cause[0];
  expect(challenge).toMatchObject({ scheme: 'bearer', parameters: { error: 'invalid_token' } });

  const resourceUrl = new URL(gateway.url);
  const metadata = await strict.resourceDiscoveryRequest(resourceUrl, INSECURE);
  expect(challenge?.parameters.resource_metadata).toBe(metadata.url);
  const resource = await strict.processResourceDiscoveryResponse(resourceUrl, metadata);
  const issuer = new URL(resource.authorization_servers?.[0] ?? '');
  const discovery = await strict.discoveryRequest(issuer, { algorithm: 'oauth2', ...INSECURE });
  return {
    server: await strict.processDiscoveryResponse(issuer, discovery),
    resource,
    scope: challenge?.parameters.scope,
  };
}

async function register(server: strict.AuthorizationServer, method: string): Promise<strict.Client> {
  const metadata = { client_name: 'Strict client', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: method };
  const registered = await strict.dynamicClientRegistrationRequest(server, metadata, INSECURE);
  return strict.processDynamicClientRegistrationResponse(registered);
}

interface SignedIn {
  readonly tokens: strict.TokenEndpointResponse;
  exchangeAgain(): Promise<strict.TokenEndpointResponse>;
}

async function signIn(found: Discovered, client: strict.Client, authentication: strict.ClientAuth): Promise<SignedIn> {
  const { server, resource } = found;
  const codeVerifier = strict.generateRandomCodeVerifier();
  const state = strict.generateRandomState();
  const url = new URL(server.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    code_challenge: await strict.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    resource: resource.resource,
    state,
    scope: found.scope ?? '',
  }).toString();
  const callback = await consent({ url, connectionCode: await gateway.connectionCode() });
  expect(callback.searchParams.get('iss')).toBe(server.issuer);
  const parameters = strict.validateAuthResponse(server, client, callback, state);
  const exchange = async () => {
    const response = await strict.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      REDIRECT_URI,
      codeVerifier,
      { additionalParameters: { resource: resource.resource }, ...INSECURE },
    );
    return strict.processAuthorizationCodeResponse(server, client, response);
  };
  return { tokens: await exchange(), exchangeAgain: exchange };
}

describe('oauth4webapi', () => {
  async function refresh(found: Discovered, client: strict.Client, refreshToken: string) {
    const response = await strict.refreshTokenGrantRequest(found.server, client, strict.None(), refreshToken, {
      additionalParameters: { resource: found.resource.resource },
      ...INSECURE,
    });
    return strict.processRefreshTokenResponse(found.server, client, response);
  }

  test('goes from the challenge to a tool call, refreshes, and cannot reuse the old refresh token', async () => {
    verifies(
      'rfc9728-3.3-identical',
      'rfc8414-2-authentication-methods',
      'rfc8414-3.3-identical',
      'rfc9207-3-advertised',
      'rfc9207-2.4-comparable',
      'rfc9700-4.14.2-rotation',
    );
    const found = await discoverFromChallenge();
    expect(found.scope).toBe('tools:read tools:write');
    expect(found.server.authorization_response_iss_parameter_supported).toBe(true);
    const client = await register(found.server, 'none');
    const { tokens } = await signIn(found, client, strict.None());
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: found.scope });
    expect(await (await callTool(tokens.access_token)).text()).toContain('scored_chunks');

    const refreshed = await refresh(found, client, tokens.refresh_token ?? '');
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
    expect((await callTool(refreshed.access_token)).status).toBe(200);
    later += 1_001;
    const refused = await refusalOf(refresh(found, client, tokens.refresh_token ?? ''));
    expect(refused).toBeInstanceOf(strict.ResponseBodyError);
    expect(refused).toMatchObject({ error: 'temporarily_unavailable', status: 400 });
  });

  test('revokes a refresh token, after which its access token is challenged', async () => {
    verifies('rfc7009-2.1-refresh-token');
    const found = await discoverFromChallenge();
    const client = await register(found.server, 'none');
    const { tokens } = await signIn(found, client, strict.None());
    const token = tokens.refresh_token ?? '';
    const answer = await strict.revocationRequest(found.server, client, strict.None(), token, INSECURE);
    expect(await strict.processRevocationResponse(answer)).toBeUndefined();
    expect(await refusalOf(callTool(tokens.access_token))).toBeInstanceOf(strict.WWWAuthenticateChallengeError);
    expect(await refusalOf(refresh(found, client, token))).toMatchObject({ error: 'invalid_grant' });
  });

  test('cannot use a code twice, which revokes the tokens of the first use', async () => {
    verifies('rfc6749-4.1.2-replay');
    const found = await discoverFromChallenge();
    const client = await register(found.server, 'none');
    const { tokens, exchangeAgain } = await signIn(found, client, strict.None());
    expect(await refusalOf(exchangeAgain())).toMatchObject({ error: 'invalid_grant', status: 400 });
    expect(await refusalOf(callTool(tokens.access_token))).toBeInstanceOf(strict.WWWAuthenticateChallengeError);
  });

  test.each([
    ['client_secret_basic', strict.ClientSecretBasic],
    ['client_secret_post', strict.ClientSecretPost],
  ] as const)('signs in as a confidential client with %s', async (method, authenticate) => {
    verifies('rfc8414-2-authentication-methods');
    const found = await discoverFromChallenge();
    const client = await register(found.server, method);
    expect(client.client_secret_expires_at).toBe(0);
    const { tokens } = await signIn(found, client, authenticate(String(client.client_secret)));
    expect((await callTool(tokens.access_token)).status).toBe(200);
    const refused = await refusalOf(signIn(found, client, authenticate('wrong')));
    expect(refused).toMatchObject(method === 'client_secret_post' ? { error: 'invalid_client' } : { status: 401 });
  });

  test('gets access_denied from a denial, with a verified issuer', async () => {
    verifies('rfc6749-4.1.2.1-access-denied');
    const found = await discoverFromChallenge();
    const client = await register(found.server, 'none');
    const url = new URL(found.server.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: REDIRECT_URI,
      code_challenge: await strict.calculatePKCECodeChallenge(strict.generateRandomCodeVerifier()),
      code_challenge_method: 'S256',
      state: 'a-state',
    }).toString();
    const connectionCode = await gateway.connectionCode();
    const callback = await consent({ url, connectionCode, decision: 'deny' });
    const error = await refusalOf(
      (async () => strict.validateAuthResponse(found.server, client, callback, 'a-state'))(),
    );
    expect(error).toMatchObject({ error: 'access_denied' });
    expect(error).toBeInstanceOf(strict.AuthorizationResponseError);
  });
});
