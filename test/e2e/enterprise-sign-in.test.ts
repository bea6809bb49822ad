import {
  Client,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
  OAuthError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findPartnerByClientId } from '../../server/base/store/repositories/partners.ts';
import { parseIssuer, registerIssuer } from '../../server/modules/identity-assertions/issuers.ts';
import { verifies } from '../requirements/verifies.ts';
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { type OAuthGateway, READING_CALL, startOAuthGateway, WRITING_CALL } from '../support/oauth-gateway.ts';

const IDP_CLIENT = { clientId: 'assistant-at-the-idp', clientSecret: 'idp-secret' };

let gateway: OAuthGateway;
let idp: IdentityProvider;
let client: { client_id: string; client_secret: string };
beforeAll(async () => {
  [gateway, idp] = await Promise.all([startOAuthGateway(), startIdentityProvider()]);
  const partner = (await findPartnerByClientId(gateway.store.db, 'test'))!;
  const registration = {
    ...parseIssuer({ issuer: idp.issuer, jwks: idp.jwks }, 'https://gateway.example'),
    partnerId: partner.id,
    isApproved: true,
  };
  await gateway.store.db
    .transaction()
    .execute((transaction) => registerIssuer(transaction, registration, { now: Date.now() }));
  const registered = await fetch(`${gateway.issuer}/api/mcp/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      client_name: 'The assistant',
      redirect_uris: ['https://assistant.example/callback'],
      token_endpoint_auth_method: 'client_secret_basic',
    }),
  });
  client = (await registered.json()) as typeof client;
});
afterAll(async () => {
  await gateway?.close();
  await idp?.close();
});
beforeEach(() => {
  allow('tools:read', 'tools:write');
});

function allow(...scopes: string[]): void {
  idp.policy = {
    idpClientId: IDP_CLIENT.clientId,
    idpClientSecret: IDP_CLIENT.clientSecret,
    clientId: client.client_id,
    scopes,
  };
}

function providerOf(sub: string): CrossAppAccessProvider {
  return new CrossAppAccessProvider({
    assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
      const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
        idpUrl: idp.issuer,
        audience: authorizationServerUrl,
        resource: resourceUrl,
        idToken: await idp.signIn({ sub }, IDP_CLIENT.clientId),
        ...IDP_CLIENT,
        ...(scope === undefined ? {} : { scope }),
        ...(fetchFn === undefined ? {} : { fetchFn }),
      });
      return jwtAuthGrant;
    },
    clientId: client.client_id,
    clientSecret: client.client_secret,
    expectedIssuer: gateway.issuer,
  });
}

async function connect(authProvider: CrossAppAccessProvider, mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const connecting = new Client({ name: 'assistant', version: '1.0.0' }, { versionNegotiation: { mode } });
  await connecting.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { authProvider }));
  return connecting;
}

describe("the official client's provider for enterprise-managed authorization", () => {
  test.each(['auto', 'legacy'] as const)('goes from the URL to a tool call without a page (%s)', async (mode) => {
    verifies('mcp-ema-client-flow');
    const provider = providerOf('ada');
    const connected = await connect(provider, mode);
    expect((await connected.callTool(READING_CALL)).structuredContent).toHaveProperty('scored_chunks');
    expect(provider.tokens()).toMatchObject({ scope: 'tools:read tools:write' });
    expect(provider.tokens()).not.toHaveProperty('refresh_token');
    await connected.close();
  });

  test('continues with another assertion when its access token has expired', async () => {
    verifies('mcp-ema-no-refresh-token');
    const connected = await connect(providerOf('ada'));
    const before = idp.issued;
    await gateway.store.db.updateTable('access_tokens').set({ expires_at: 1 }).execute();
    const calls = await Promise.all(Array.from({ length: 5 }, () => connected.callTool(READING_CALL)));
    expect(calls.filter(({ isError }) => isError === true)).toEqual([]);
    expect(idp.issued).toBeGreaterThan(before);
    await connected.close();
  });

  test('gets at most what the identity provider allows', async () => {
    verifies('mcp-ema-scopes');
    allow('tools:read');
    const provider = providerOf('ada');
    const connected = await connect(provider);
    expect(provider.tokens()).toMatchObject({ scope: 'tools:read' });
    expect((await connected.callTool(READING_CALL)).isError ?? false).toBe(false);
    await expect(connected.callTool(WRITING_CALL)).rejects.toThrow();
    await connected.close();
  });

  test('reports why a user without a connection gets no access', async () => {
    verifies('mcp-ema-known-users');
    const refused = await connect(providerOf('grace')).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OAuthError);
    expect(String(refused)).toContain('has connected nothing yet');
  });
});
