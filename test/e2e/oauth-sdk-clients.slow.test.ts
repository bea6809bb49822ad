import { IssuerMismatchError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../requirements/verifies.ts';
import { type OAuthGateway, READING_CALL, startOAuthGateway, WRITING_CALL } from '../support/oauth-gateway.ts';
import { consent } from '../support/scripted-browser.ts';
import { type Memory, type Sdk, type SdkClient, v1Sdk, v2Sdk } from '../support/sdk-sign-in.ts';

const TOOL_COUNT = 68;

let gateway: OAuthGateway;
beforeAll(async () => {
  gateway = await startOAuthGateway();
});
afterAll(() => gateway?.close());

let sdk: Sdk;
let memory: Memory;

async function signIn(chosen: Sdk, access: 'read' | 'write' = 'write'): Promise<SdkClient> {
  sdk = chosen;
  ({ memory } = sdk);
  await expect(sdk.connect()).rejects.toThrow(sdk.Unauthorized);
  await sdk.finish((await consentAt(access)).searchParams);
  return sdk.connect();
}

async function consentAt(access: 'read' | 'write' = 'write'): Promise<URL> {
  const callback = await consent({ url: memory.url!, connectionCode: await gateway.connectionCode(), access });
  expect(callback.searchParams.get('state')).toBe('a-state');
  return callback;
}

function endAccessTokens() {
  return gateway.store.db.updateTable('access_tokens').set({ expires_at: 1 }).execute();
}

async function expectParallelCalls(client: SdkClient) {
  await endAccessTokens();
  const results = await Promise.all(Array.from({ length: 5 }, () => client.callTool(READING_CALL)));
  expect(results.map(({ isError }) => isError ?? false)).toEqual([false, false, false, false, false]);
  expect(memory.redirects).toBe(1);
  expect(memory.tokens).toBeDefined();
}

describe.each([
  ['v1', v1Sdk],
  ['v2', v2Sdk],
] as const)('the %s SDK client whose access token has expired', (_, create) => {
  test('refreshes it without asking the person again', async () => {
    verifies('mcp-token-lifetime');
    const client = await signIn(create(gateway.url));
    const before = memory.tokens!;
    await endAccessTokens();
    expect((await client.callTool(READING_CALL)).isError ?? false).toBe(false);
    expect(memory.redirects).toBe(1);
    expect(memory.tokens!.refresh_token).not.toBe(before.refresh_token);
    await client.close();
  });

  test('loses neither a call nor its session when parallel calls find it expired', async () => {
    const client = await signIn(create(gateway.url));
    await expectParallelCalls(client);
    await client.close();
  });
});

describe('the v1 SDK client with its own provider', () => {
  test('goes from the URL to a tool call', async () => {
    verifies('mcp-url-is-enough', 'mcp-scope-challenge');
    const client = await signIn(v1Sdk(gateway.url));
    expect(memory.client).toMatchObject({ token_endpoint_auth_method: 'none' });
    expect(Object.fromEntries(memory.url!.searchParams)).toMatchObject({
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
    const endpoint = gateway.url.replace('127.0.0.1', 'localhost');
    const client = await signIn(v1Sdk(endpoint));
    expect(memory.url!.origin).toBe(new URL(endpoint).origin);
    expect((await client.callTool(READING_CALL)).isError ?? false).toBe(false);
    await endAccessTokens();
    expect((await client.callTool(READING_CALL)).isError ?? false).toBe(false);
    expect(memory.redirects).toBe(1);
    await client.close();
  });

  test('asks the person again when someone else used its refresh token', async () => {
    verifies('rfc6749-5.2-invalid-grant');
    const client = await signIn(v1Sdk(gateway.url));
    memory.tokens = { ...memory.tokens!, refresh_token: 'utg_rt_of-somebody-else' };
    await endAccessTokens();
    await expect(client.callTool(READING_CALL)).rejects.toThrow(sdk.Unauthorized);
    expect(memory.redirects).toBe(2);
    expect(memory.tokens).toBeUndefined();
    await client.close();
  });

  test('registers again when its registration is gone', async () => {
    verifies('rfc6749-5.2-registration-gone');
    const client = await signIn(v1Sdk(gateway.url));
    const before = memory.client;
    await gateway.store.db.deleteFrom('oauth_clients').execute();
    await endAccessTokens();
    await expect(client.callTool(READING_CALL)).rejects.toThrow(sdk.Unauthorized);
    expect(memory.client).not.toEqual(before);
    expect((await consentAt()).searchParams.has('code')).toBe(true);
    await client.close();
  });
});

describe('the v2 SDK client with its own provider', () => {
  test.each([
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ] as const)('in mode %s, goes from the URL to a tool call in revision %s', async (mode, revision) => {
    verifies('mcp-url-is-enough', 'mcp-application-type');
    const client = await signIn(v2Sdk(gateway.url, mode));
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
      const endpoint = gateway.url.replace('127.0.0.1', 'localhost');
      const client = await signIn(v2Sdk(endpoint, mode), 'read');
      expect(memory.url!.searchParams.get('resource')).toBe(endpoint);
      expect((await client.callTool(READING_CALL)).isError ?? false).toBe(false);
      await endAccessTokens();
      expect((await client.callTool(READING_CALL)).isError ?? false).toBe(false);
      await expect(client.callTool(WRITING_CALL)).rejects.toThrow(sdk.Unauthorized);
      expect(memory.url!.origin).toBe(new URL(endpoint).origin);
      await client.close();
    },
  );

  test('rejects an answer with another issuer or none', async () => {
    verifies('rfc9207-2.4-comparable');
    sdk = v2Sdk(gateway.url);
    ({ memory } = sdk);
    await expect(sdk.connect()).rejects.toThrow(sdk.Unauthorized);
    const { searchParams } = await consentAt();
    const foreign = new URLSearchParams(searchParams);
    foreign.set('iss', 'https://attacker.example');
    await expect(sdk.finish(foreign)).rejects.toThrow(IssuerMismatchError);
    foreign.delete('iss');
    await expect(sdk.finish(foreign)).rejects.toThrow(IssuerMismatchError);
    await sdk.finish(searchParams);
    expect(memory.tokens).toHaveProperty('access_token');
  });

  test('steps up: a write call with a read token asks for both scopes, and succeeds once they are granted', async () => {
    verifies('mcp-scope-step-up', 'mcp-scope-narrows-tools', 'rfc6749-3.3-narrowed');
    const reader = await signIn(v2Sdk(gateway.url), 'read');
    expect(memory.tokens!.scope).toBe('tools:read');
    const { tools } = await reader.listTools();
    const needMore = tools.filter(({ description }) => description?.startsWith('Needs write access: '));
    expect(tools).toHaveLength(TOOL_COUNT);
    expect(needMore.length).toBeGreaterThan(0);
    expect(needMore.filter(({ annotations }) => annotations?.readOnlyHint === true)).toEqual([]);
    await expect(reader.callTool(WRITING_CALL)).rejects.toThrow(sdk.Unauthorized);
    expect(memory.redirects).toBe(2);
    expect(memory.url!.searchParams.get('scope')).toBe('tools:read tools:write');
    await reader.close();

    await sdk.finish((await consentAt()).searchParams);
    expect(memory.tokens!.scope).toBe('tools:read tools:write');
    const writer = await sdk.connect();
    expect((await writer.callTool(WRITING_CALL)).isError ?? false).toBe(false);
    await writer.close();
  });
});
