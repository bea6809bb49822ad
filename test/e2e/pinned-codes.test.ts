import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectClient } from '../support/mcp-client.ts';
import { type OAuthGateway, startOAuthGateway } from '../support/oauth-gateway.ts';
import { postForJson, signIn } from '../support/sign-in.ts';

let gateway: OAuthGateway;
beforeAll(async () => {
  gateway = await startOAuthGateway();
});
afterAll(() => gateway?.close());

test('a client with a code for a pinned brand sees and reaches only that brand, also after a refresh', async () => {
  const brands = await signIn(gateway, { services: ['mailer'], tools: ['mailer_list_brands'] });
  const free = await connectClient({ url: gateway.url, token: brands.tokens.access_token ?? '' });
  const listed = await free.callTool({ name: 'mailer_list_brands', arguments: {} });
  await free.close();
  const [brand] = (listed.structuredContent as { data: { id: string }[] }).data;

  const { clientId, tokens } = await signIn(gateway, {
    services: ['mailer'],
    read_only: true,
    arguments: { mailer: { brandId: brand?.id ?? '' } },
  });
  const refreshed = await postForJson(gateway, '/api/mcp/oauth/token', {
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
