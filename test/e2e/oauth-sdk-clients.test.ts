import {
  IssuerMismatchError,
  Client as V2Client,
  type OAuthClientProvider as V2Provider,
  StreamableHTTPClientTransport as V2Transport,
  UnauthorizedError as V2Unauthorized,
} from '@modelcontextprotocol/client';
import {
  type OAuthClientProvider as V1Provider,
  UnauthorizedError as V1Unauthorized,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NEEDS_MORE } from '../../server/call/tools/catalogue/catalogue.ts';
import { verifies } from '../requirements/verifies.ts';
import { type OAuthGateway, READING_CALL, startOAuthGateway, WRITING_CALL } from '../support/oauth-gateway.ts';
import { consent } from '../support/scripted-browser.ts';

const REDIRECT_URI = 'http://127.0.0.1:7000/callback';
const TOOL_COUNT = 68;

let gateway: OAuthGateway;
beforeAll(async () => {
  gateway = await startOAuthGateway();
});
afterAll(() => gateway?.close());

interface Memory {
  client?: unknown;
  tokens?: { access_token: string; refresh_token?: string; scope?: string };
  verifier?: string;
  authorizationUrl?: URL;
  discovery?: unknown;
  redirects: number;
}

function rememberIn(memory: Memory) {
  return {
    redirectUrl: REDIRECT_URI,
    clientMetadata: { client_name: 'SDK client', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' },
    state: () => 'a-state',
    clientInformation: () => memory.client,
    saveClientInformation(client: unknown) {
      memory.client = client;
    },
    tokens: () => memory.tokens,
    saveTokens(tokens: Memory['tokens']) {
      if (tokens !== undefined) memory.tokens = tokens;
    },
    redirectToAuthorization(url: URL) {
      memory.authorizationUrl = url;
      memory.redirects += 1;
    },
    saveCodeVerifier(verifier: string) {
      memory.verifier = verifier;
    },
    codeVerifier: () => memory.verifier ?? '',
    discoveryState: () => memory.discovery,
    saveDiscoveryState(state: unknown) {
      memory.discovery = state;
    },
    invalidateCredentials(what: string) {
      if (what === 'all' || what === 'tokens') delete memory.tokens;
      if (what === 'all' || what === 'client') delete memory.client;
    },
  };
}

let memory: Memory;
let endpoint: string;
beforeEach(() => {
  memory = { redirects: 0 };
  endpoint = gateway.url;
});

function endAccessTokens() {
  return gateway.store.db.updateTable('access_tokens').set({ expires_at: 1 }).execute();
}

async function expectParallelCalls(client: Pick<V1Client | V2Client, 'callTool'>) {
  await endAccessTokens();
  const results = await Promise.all(Array.from({ length: 5 }, () => client.callTool(READING_CALL)));
  expect(results.map(({ isError }) => isError ?? false)).toEqual([false, false, false, false, false]);
  expect(memory.redirects).toBe(1);
  expect(memory.tokens).toBeDefined();
}

describe('the v1 SDK client with its own provider', () => {
  const provider = () => rememberIn(memory) as unknown as V1Provider;

  async function connect(): Promise<V1Client> {
    const client = new V1Client({ name: 'v1', version: '1.0.0' });
    const sent: Promise<Response>[] = [];
    const observed = (url: string | URL, init?: RequestInit) => {
      const answer = fetch(url, init);
      sent.push(answer);
      return answer;
    };
    const transport = new V1Transport(new URL(endpoint), { authProvider: provider(), fetch: observed });
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    await client.ping();
    await Promise.allSettled(sent);
    return client;
  }

  async function signIn(): Promise<V1Client> {
    const first = new V1Transport(new URL(endpoint), { authProvider: provider() });
    const client = new V1Client({ name: 'v1', version: '1.0.0' });
    await expect(client.connect(first as Parameters<typeof client.connect>[0])).rejects.toThrow(V1Unauthorized);
    const callback = await consent({ url: memory.authorizationUrl!, connectionCode: await gateway.connectionCode() });
    await first.finishAuth(callback.searchParams.get('code') ?? '');
    return connect();
  }

  test('goes from the URL to a tool call', async () => {
    verifies('mcp-url-is-enough', 'mcp-scope-challenge');
    const client = await signIn();
    expect(memory.client).toMatchObject({ token_endpoint_auth_method: 'none' });
    expect(Object.fromEntries(memory.authorizationUrl!.searchParams)).toMatchObject({
      scope: 'tools:read tools:write',
      resource: gateway.url,
      code_challenge_method: 'S256',
    });
    expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT);
    expect((await client.callTool(READING_CALL)).structuredContent).toHaveProperty('scored_chunks');
    await client.close();
  });

  test('goes from the URL to a tool call with another host name of this machine', async () => {
    verifies('rfc9728-3.3-identical');
    endpoint = gateway.url.replace('127.0.0.1', 'localhost');
    const client = await signIn();
    expect(memory.authorizationUrl!.origin).toBe(new URL(endpoint).origin);
    expect((await client.callTool(READING_CALL)).isError ?? false).toBe(false);
    await endAccessTokens();
    expect((await client.callTool(READING_CALL)).isError ?? false).toBe(false);
    expect(memory.redirects).toBe(1);
    await client.close();
  });

  test('refreshes when its access token has expired, without asking the person again', async () => {
    verifies('mcp-token-lifetime');
    const client = await signIn();
    const before = memory.tokens!;
    await endAccessTokens();
    expect((await client.callTool(READING_CALL)).isError ?? false).toBe(false);
    expect(memory.redirects).toBe(1);
    expect(memory.tokens!.refresh_token).not.toBe(before.refresh_token);
    await client.close();
  });

  test('loses neither a call nor its session when parallel calls find the access token expired', async () => {
    const client = await signIn();
    await expectParallelCalls(client);
    await client.close();
  });

  test('asks the person again when someone else used its refresh token', async () => {
    verifies('rfc6749-5.2-invalid-grant');
    const client = await signIn();
    memory.tokens = { ...memory.tokens!, refresh_token: 'utg_rt_of-somebody-else' };
    await endAccessTokens();
    await expect(client.callTool(READING_CALL)).rejects.toThrow(V1Unauthorized);
    expect(memory.redirects).toBe(2);
    expect(memory.tokens).toBeUndefined();
    await client.close();
  });

  test('registers again when its registration is gone', async () => {
    verifies('rfc6749-5.2-registration-gone');
    const client = await signIn();
    const before = memory.client;
    await gateway.store.db.deleteFrom('oauth_clients').execute();
    await endAccessTokens();
    await expect(client.callTool(READING_CALL)).rejects.toThrow(V1Unauthorized);
    expect(memory.client).not.toEqual(before);
    const callback = await consent({ url: memory.authorizationUrl!, connectionCode: await gateway.connectionCode() });
    expect(callback.searchParams.has('code')).toBe(true);
    await client.close();
  });
});

describe('the v2 SDK client with its own provider', () => {
  const transport = () =>
    new V2Transport(new URL(endpoint), { authProvider: rememberIn(memory) as unknown as V2Provider });

  async function connect(mode: 'auto' | 'legacy'): Promise<V2Client> {
    const client = new V2Client({ name: 'v2', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(transport());
    return client;
  }

  async function signIn(access: 'read' | 'write' = 'write', mode: 'auto' | 'legacy' = 'auto'): Promise<V2Client> {
    await expect(connect(mode)).rejects.toThrow(V2Unauthorized);
    const connectionCode = await gateway.connectionCode();
    const callback = await consent({ url: memory.authorizationUrl!, connectionCode, access });
    expect(callback.searchParams.get('state')).toBe('a-state');
    await transport().finishAuth(callback.searchParams);
    return connect(mode);
  }

  test.each([
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ] as const)('in mode %s, goes from the URL to a tool call in revision %s', async (mode, revision) => {
    verifies('mcp-url-is-enough', 'mcp-application-type');
    const client = await signIn('write', mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(memory.client).toMatchObject({ application_type: 'native', issuer: gateway.issuer });
    expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT);
    expect((await client.callTool(READING_CALL)).structuredContent).toHaveProperty('scored_chunks');
    await client.close();
  });

  test.each(['auto', 'legacy'] as const)(
    'in mode %s, goes from the URL to a tool call with another host name of this machine, and steps up',
    async (mode) => {
      verifies('rfc9728-3.3-identical');
      endpoint = gateway.url.replace('127.0.0.1', 'localhost');
      const client = await signIn('read', mode);
      expect(memory.authorizationUrl!.searchParams.get('resource')).toBe(endpoint);
      expect((await client.callTool(READING_CALL)).isError ?? false).toBe(false);
      await endAccessTokens();
      expect((await client.callTool(READING_CALL)).isError ?? false).toBe(false);
      await expect(client.callTool(WRITING_CALL)).rejects.toThrow(V2Unauthorized);
      expect(memory.authorizationUrl!.origin).toBe(new URL(endpoint).origin);
      await client.close();
    },
  );

  test('rejects an answer with another issuer or none', async () => {
    verifies('rfc9207-2.4-comparable');
    await expect(connect('auto')).rejects.toThrow(V2Unauthorized);
    const connectionCode = await gateway.connectionCode();
    const { searchParams } = await consent({ url: memory.authorizationUrl!, connectionCode });
    const foreign = new URLSearchParams(searchParams);
    foreign.set('iss', 'https://attacker.example');
    await expect(transport().finishAuth(foreign)).rejects.toThrow(IssuerMismatchError);
    foreign.delete('iss');
    await expect(transport().finishAuth(foreign)).rejects.toThrow(IssuerMismatchError);
    await transport().finishAuth(searchParams);
    expect(memory.tokens).toHaveProperty('access_token');
  });

  test('refreshes when its access token has expired', async () => {
    const client = await signIn();
    const before = memory.tokens!;
    await endAccessTokens();
    expect((await client.callTool(READING_CALL)).isError ?? false).toBe(false);
    expect(memory.redirects).toBe(1);
    expect(memory.tokens!.refresh_token).not.toBe(before.refresh_token);
    await client.close();
  });

  test('loses neither a call nor its session when parallel calls find the access token expired', async () => {
    const client = await signIn();
    await expectParallelCalls(client);
    await client.close();
  });

  test('steps up: a write call with a read token asks for both scopes, and succeeds once they are granted', async () => {
    verifies('mcp-scope-step-up', 'mcp-scope-narrows-tools', 'rfc6749-3.3-narrowed');
    const reader = await signIn('read');
    expect(memory.tokens!.scope).toBe('tools:read');
    const { tools } = await reader.listTools();
    const needMore = tools.filter(({ description }) => description?.startsWith(NEEDS_MORE));
    expect(tools).toHaveLength(TOOL_COUNT);
    expect(needMore.length).toBeGreaterThan(0);
    expect(needMore.filter(({ annotations }) => annotations?.readOnlyHint === true)).toEqual([]);
    await expect(reader.callTool(WRITING_CALL)).rejects.toThrow(V2Unauthorized);
    expect(memory.redirects).toBe(2);
    expect(memory.authorizationUrl!.searchParams.get('scope')).toBe('tools:read tools:write');
    await reader.close();

    const connectionCode = await gateway.connectionCode();
    const callback = await consent({ url: memory.authorizationUrl!, connectionCode });
    await transport().finishAuth(callback.searchParams);
    expect(memory.tokens!.scope).toBe('tools:read tools:write');
    const writer = await connect('auto');
    expect((await writer.callTool(WRITING_CALL)).isError ?? false).toBe(false);
    await writer.close();
  });
});
