import { afterEach, expect, test } from 'vitest';
import { toDocument } from '../../../../sandbox/mcp/lock.ts';
import { startSandbox } from '../../../../sandbox/start.ts';
import { createReach } from '../../../../server/base/guarded-fetch/reach.ts';
import { checkUpstream } from '../../../../server/modules/doctor/upstreams.ts';
import { GREET, KEY, LIST, LOCK, mcpConnector, mcpTool } from '../../call/upstream/mcp/support.ts';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function check({ tools = [mcpTool(GREET), mcpTool(LIST)], parts = [] as (typeof KEY)[], path = '/people/mcp' }) {
  const connector = { ...mcpConnector(tools, parts), verify: { tool: 'people_greet', arguments: { name: 'Ada' } } };
  const document = toDocument(LOCK, connector.credential);
  const credential = parts.length > 0 ? 'right' : null;
  const sandbox = await startSandbox({ services: [{ name: 'people', document, mcp: LOCK }], credential });
  const reach = createReach({ networks: ['127.0.0.0/8'], proxy: null });
  open.push(
    sandbox.close,
    () => reach.guarded.destroy(),
    () => reach.anywhere.destroy(),
  );
  const baseUrls = new Map([['library', new Map([['{library_base_url}', sandbox.origin + path]])]]);
  const config = { baseUrls, oauthOrigins: new Map() } as never;
  const results = await checkUpstream(connector, config, reach, new AbortController().signal);
  expect(sandbox.requests().map(({ operationId }) => operationId)).not.toContain('greet');
  const { state, seen } = results.at(-1)!;
  return `${state}: ${seen.replace(/127\.0\.0\.1:\d+/, 'host')}`;
}

test('the tools of an MCP server are compared with the reviewed ones', async () => {
  expect(await check({})).toBe('ok: host is an MCP server, and its tools are as reviewed');
  const tools = [mcpTool({ ...GREET, description: 'Other.' }), mcpTool({ ...LIST, name: 'gone' })];
  expect(await check({ tools })).toBe(
    'warning: host has changed or removed 2 of 2 tools since they were reviewed: greet, gone',
  );
});

test('a server that asks for a credential gets none', async () => {
  expect(await check({ parts: [KEY] })).toBe(
    'ok: host asks for a credential (401), so its tools are not compared here',
  );
});

test('an address without an MCP server is an error', async () => {
  expect(await check({ path: '/people/other' })).toMatch(/^error: host does not answer as an MCP server/);
});
