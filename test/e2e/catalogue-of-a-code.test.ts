import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectClient } from '../support/mcp-client.ts';
import { type OAuthGateway, READING_CALL, startOAuthGateway } from '../support/oauth-gateway.ts';
import { postForJson, signIn } from '../support/sign-in.ts';

const FOUR = ['call_reading_tool', 'call_writing_tool', 'describe_tools', 'search_tools'];

let gateway: OAuthGateway;
beforeAll(async () => {
  gateway = await startOAuthGateway();
});
afterAll(() => gateway?.close());

async function listWith(token: string) {
  const client = await connectClient({ url: gateway.url, token });
  const { tools } = await client.listTools();
  const called = await client.callTool({ name: 'call_reading_tool', arguments: READING_CALL });
  const byName = await client.callTool(READING_CALL);
  await client.close();
  expect([called.isError ?? false, byName.isError ?? false]).toEqual([false, false]);
  return tools;
}

test('a code with search mode gives a client four tools, also after a refresh', async () => {
  const { clientId, tokens } = await signIn(gateway, { catalogue: 'search' });
  expect((await listWith(tokens.access_token ?? '')).map(({ name }) => name)).toEqual(FOUR);
  const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '', client_id: clientId };
  const refreshed = await postForJson(gateway, '/api/mcp/oauth/token', { body: new URLSearchParams(form) });
  expect((await listWith(refreshed.access_token ?? '')).map(({ name }) => name)).toEqual(FOUR);
});

test.each([
  ['compact', { catalogue: 'compact' }, 69, 'describe_tools'],
  ['lean, where it names no mode,', {}, 68, 'crm_get_person'],
] as const)('a code of mode %s gives a client tools without output schemas', async (_, limits, count, name) => {
  const { tokens } = await signIn(gateway, limits);
  const tools = await listWith(tokens.access_token ?? '');
  expect(tools).toHaveLength(count);
  expect(tools.map((tool) => tool.name)).toContain(name);
  expect(tools.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([]);
});

test('a code with full mode gives a client output schemas and every hint', async () => {
  const { tokens } = await signIn(gateway, { catalogue: 'full' });
  const tools = await listWith(tokens.access_token ?? '');
  expect(tools).toHaveLength(68);
  expect(tools.every(({ outputSchema }) => outputSchema !== undefined)).toBe(true);
  expect(tools.every(({ annotations = {} }) => Object.keys(annotations).length === 4)).toBe(true);
});
