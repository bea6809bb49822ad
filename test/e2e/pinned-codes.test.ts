import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectClient } from '../support/mcp-client.ts';
import { type OAuthGateway, startOAuthGateway } from '../support/oauth-gateway.ts';
import { consent } from '../support/scripted-browser.ts';

const REDIRECT_URI = 'http://127.0.0.1:7000/callback';
const VERIFIER = 'v'.repeat(43);

let gateway: OAuthGateway;
beforeAll(async () => {
  gateway = await startOAuthGateway();
});
afterAll(() => gateway?.close());

async function post(path: string, init: RequestInit): Promise<Record<string, string>> {
  const response = await fetch(new URL(path, gateway.issuer), { method: 'POST', ...init });
  return (await response.json()) as Record<string, string>;
}

async function signIn(limits: object): Promise<{ clientId: string; tokens: Record<string, string> }> {
  const { client_id: clientId = '' } = await post('/api/mcp/oauth/register', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }),
  });
  const url = new URL('/api/mcp/oauth/authorize', gateway.issuer);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const { searchParams } = await consent({ url, connectionCode: await gateway.connectionCode(limits) });
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code: searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
  };
  return { clientId, tokens: await post('/api/mcp/oauth/token', { body: new URLSearchParams(form) }) };
}

test('a client of a code with a pinned brand sees and reaches that brand only, after a refresh too', async () => {
  const brands = await signIn({ services: ['mailer'], tools: ['mailer_list_brands'] });
  const free = await connectClient({ url: gateway.url, token: brands.tokens.access_token ?? '' });
  const listed = await free.callTool({ name: 'mailer_list_brands', arguments: {} });
  await free.close();
  const [brand] = (listed.structuredContent as { data: { id: string }[] }).data;

  const { clientId, tokens } = await signIn({
    services: ['mailer'],
    read_only: true,
    arguments: { mailer: { brandId: brand?.id } },
  });
  const refreshed = await post('/api/mcp/oauth/token', {
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token ?? '',
      client_id: clientId,
    }),
  });
  const client = await connectClient({ url: gateway.url, token: refreshed.access_token ?? '' });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('mailer_list_lists');
  expect(tools.map(({ name }) => name)).not.toContain('mailer_list_brands');
  expect(tools.filter(({ inputSchema }) => JSON.stringify(inputSchema).includes('brandId'))).toEqual([]);

  const own = await client.callTool({ name: 'mailer_list_lists', arguments: {} });
  expect(own.isError).not.toBe(true);
  const other = await client.callTool({ name: 'mailer_list_lists', arguments: { brandId: 'another' } });
  expect(JSON.stringify(other.content)).toContain('is fixed for this client');
  const withheld = await client.callTool({ name: 'mailer_list_brands', arguments: {} });
  expect(JSON.stringify(withheld.content)).toContain('has not allowed');
  await client.close();
});
