import * as strict from 'oauth4webapi';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../requirements/verifies.ts';
import { type Host, startHost } from '../server/call/upstream/support.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { postRpc } from '../support/post-rpc.ts';
import { consent } from '../support/scripted-browser.ts';
import { REDIRECT_URI, type Sdk, type SdkClient, v1Sdk, v2Sdk } from '../support/sdk-sign-in.ts';
import { DESTROY, mintCode, READ, startConsentByNeed, WRITE, WRITE_TOO } from './consent-by-need.ts';

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'strict', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const ALL = [WRITE.name, READ.name, DESTROY.name, WRITE_TOO.name];

let upstream: Host;
let gateway: RunningGateway;
let origin: string;
const requests: string[] = [];

beforeAll(async () => {
  upstream = await startHost((request, response) => {
    requests.push(request.method ?? '');
    response.setHeader('Content-Type', 'application/json');
    response.end('{"done":true}');
  });
  gateway = await startConsentByNeed(upstream.origin);
  origin = new URL(gateway.url).origin;
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});
beforeEach(() => {
  requests.length = 0;
});

const mint = () => mintCode(gateway);

type Access = 'no-delete' | 'write' | null;

const v1 = () => v1Sdk(gateway.url);
const v2 = (mode: 'auto' | 'legacy') => v2Sdk(gateway.url, mode);

async function allow(sdk: Sdk, access: Access): Promise<SdkClient> {
  await sdk.finish((await consent({ url: sdk.memory.url!, connectionCode: await mint(), access })).searchParams);
  return sdk.connect();
}

const textOf = (result: unknown) => JSON.stringify((result as { content: unknown }).content);

/** Allows one tool on its page, without a browser. @returns the page. */
async function allowTool(url: string, tools: 'one' | 'every' = 'one'): Promise<string> {
  const shown = await fetch(url.replace('/me/allow?', '/api/mcp/oauth/allow?'));
  const page = await shown.text();
  const body = new URLSearchParams({
    page_state: /name="page_state" value="([^"]*)"/.exec(page)?.[1] ?? '',
    connection_code: await mint(),
    tools,
  });
  const Cookie = shown.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const answer = await fetch(`${origin}/api/mcp/oauth/allow`, { method: 'POST', body, headers: { Cookie } });
  expect(await answer.text()).toContain('The tool is allowed');
  return page;
}

/** Calls a tool that waits for its user, who allows it on the page in the answer. @returns the page. */
async function allowCalled(client: SdkClient, call: typeof WRITE, tools?: 'one' | 'every'): Promise<string> {
  const before = requests.length;
  const asked = await client.callTool(call);
  expect(asked.isError).toBe(true);
  expect(textOf(asked)).toContain('needs_approval');
  expect(requests).toHaveLength(before);
  const [url = ''] = /http:[^"\\ ]+\/allow\?request=[^"\\ ]+/.exec(textOf(asked)) ?? [];
  const page = await allowTool(url, tools);
  expect((await client.callTool(call)).isError ?? false).toBe(false);
  return page;
}

async function startReading(sdk: Sdk): Promise<SdkClient> {
  await expect(sdk.connect()).rejects.toThrow(sdk.Unauthorized);
  const reader = await allow(sdk, null);
  expect(sdk.memory.tokens?.scope).toBe('tools:read');
  expect((await reader.listTools()).tools.map(({ name }) => name)).toEqual(ALL);
  expect((await reader.callTool(READ)).isError ?? false).toBe(false);
  return reader;
}

test('the v2 SDK client, 2026-07-28, begins with reading, steps up to writing, and asks for the one tool that deletes', async () => {
  verifies('mcp-scope-step-up');
  const sdk = v2('auto');
  const reader = await startReading(sdk);
  await expect(reader.callTool(WRITE)).rejects.toThrow(sdk.Unauthorized);
  await reader.close();
  expect(requests).toEqual(['GET']);

  const writer = await allow(sdk, 'no-delete');
  expect(sdk.memory.tokens?.scope).toBe('tools:read tools:write');
  expect((await writer.listTools()).tools.map(({ name }) => name)).toEqual(ALL);
  expect((await writer.callTool(WRITE)).isError ?? false).toBe(false);
  expect(await allowCalled(writer, DESTROY)).toContain(
    '<dt>It may already use</dt><dd>1 read-only tool, 2 that change data</dd>',
  );
  expect(requests).toEqual(['GET', 'POST', 'DELETE']);
  await writer.close();
});

describe.each([
  ['the v1 SDK client', v1],
  ['the v2 SDK client, 2025-11-25', () => v2('legacy')],
] as const)('%s', (_title, create) => {
  test('begins with reading, and goes on in its session after the user has allowed each tool', async () => {
    const client = await startReading(create());
    expect(await allowCalled(client, WRITE)).toContain('<dt>It may already use</dt><dd>1 read-only tool</dd>');
    expect(await allowCalled(client, DESTROY)).toContain('<dd>1 read-only tool, 1 that changes data</dd>');
    expect(requests).toEqual(['GET', 'POST', 'DELETE']);
    await client.close();
  });
});

test('the v1 SDK client is not asked again for other tools that write after its user allowed all of the service', async () => {
  const client = await startReading(v1());
  await allowCalled(client, WRITE, 'every');
  expect((await client.callTool(WRITE_TOO)).isError ?? false).toBe(false);
  expect(textOf(await client.callTool(DESTROY))).toContain('needs_approval');
  expect(requests).toEqual(['GET', 'POST', 'POST']);
  await client.close();
});

test.each([
  ['v1', v1],
  ['v2', () => v2('auto')],
] as const)('the %s SDK client gets everything at once from a user who chooses that', async (_title, create) => {
  const sdk = create();
  await expect(sdk.connect()).rejects.toThrow(sdk.Unauthorized);
  const client = await allow(sdk, 'write');
  for (const call of [READ, WRITE, DESTROY]) expect((await client.callTool(call)).isError ?? false).toBe(false);
  await client.close();
});

test('oauth4webapi reads the step-up challenge, and the same client gets what it asks for and keeps what it had', async () => {
  const insecure = { [strict.allowInsecureRequests]: true } as const;
  const issuer = new URL(origin);
  const discovery = await strict.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  const server = await strict.processDiscoveryResponse(issuer, discovery);
  const metadata = { client_name: 'Strict', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' };
  const client = await strict.processDynamicClientRegistrationResponse(
    await strict.dynamicClientRegistrationRequest(server, metadata, insecure),
  );
  const signIn = async (scope: string, access: Access) => {
    const verifier = strict.generateRandomCodeVerifier();
    const state = strict.generateRandomState();
    const url = new URL(server.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: REDIRECT_URI,
      code_challenge: await strict.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      scope,
    }).toString();
    const callback = await consent({ url, connectionCode: await mint(), access });
    const parameters = strict.validateAuthResponse(server, client, callback, state);
    const [none, options] = [strict.None(), { ...insecure }];
    const answer = await strict.authorizationCodeGrantRequest(
      server,
      client,
      none,
      parameters,
      REDIRECT_URI,
      verifier,
      options,
    );
    return strict.processAuthorizationCodeResponse(server, client, answer);
  };
  const call = (token: string, params: { readonly name: string }) =>
    strict.protectedResourceRequest(
      token,
      'POST',
      new URL(gateway.url),
      new Headers({
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': params.name,
      }),
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: ENVELOPE } }),
      insecure,
    );

  const reading = await signIn('tools:read tools:write', null);
  expect(reading.scope).toBe('tools:read');
  const refused = await call(reading.access_token, WRITE).then(
    () => null,
    (error: unknown) => error,
  );
  expect(refused).toBeInstanceOf(strict.WWWAuthenticateChallengeError);
  const { parameters } = (refused as strict.WWWAuthenticateChallengeError).cause[0]!;
  expect(parameters).toMatchObject({ error: 'insufficient_scope', scope: 'tools:read tools:write' });

  const writing = await signIn(parameters.scope ?? '', 'no-delete');
  expect(writing.scope).toBe('tools:read tools:write');
  expect((await call(writing.access_token, WRITE)).status).toBe(200);
  const again = await signIn(parameters.scope ?? '', null);
  expect(again.scope).toBe('tools:read tools:write');
  expect(await (await call(again.access_token, DESTROY)).text()).toContain('needs_approval');
  expect(await (await call(reading.access_token, READ)).text()).toContain('done');
});

test('a token that was minted, or given before, is asked nothing', async () => {
  expect(await (await postRpc(gateway, 'tools/call', DESTROY)).text()).toContain('"done":true');
});
