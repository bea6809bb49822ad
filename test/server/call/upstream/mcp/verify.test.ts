import { afterEach, expect, test } from 'vitest';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import { createCredentialVerifier } from '../../../../../server/call/tools/verify-credential.ts';
import { createLocalUpstream } from '../../../../support/outgoing.ts';
import { GREET, KEY, mcpConnector, mcpTool, openMcpFixture } from './support.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function verifying(key: string, tool = mcpTool(GREET)) {
  const { sandbox, close } = await openMcpFixture({ parts: [KEY] });
  const baseUrls = new Map([['library', new Map([['{library_base_url}', `${sandbox.origin}/people/mcp`]])]]);
  const limits = { timeoutMs: 3000, maxResultBytes: 100_000 };
  const upstream = createLocalUpstream({ ...limits, baseUrls, userAgent: 'gateway-test/1.0' });
  open.push(upstream.close, close);
  const deps = { ...limits, upstream, validators: createValidators(), now: Date.now, onFault: () => {} };
  const connector = {
    ...mcpConnector([tool], [KEY]),
    verify: { tool: tool.name, arguments: { name: 'Ada' } },
  };
  const verify = createCredentialVerifier(deps);
  return { sandbox, verdict: () => verify(connector, { key }, new AbortController().signal) };
}

test('a credential is verified by a call at an MCP server', async () => {
  expect(await (await verifying('right')).verdict()).toEqual({ kind: 'accepted' });
  expect(await (await verifying('wrong')).verdict()).toMatchObject({ kind: 'refused' });
});

test('a server that has changed the verifying tool, or whose tool fails, proves nothing', async () => {
  const { sandbox, verdict } = await verifying('right');
  sandbox.misbehave({ kind: 'tool-error' });
  expect(await verdict()).toMatchObject({ kind: 'unavailable' });
  const changed = await verifying('right', mcpTool({ ...GREET, description: 'Other.' }));
  expect(await changed.verdict()).toMatchObject({ kind: 'unavailable' });
});

test('a batch makes one call at an MCP server for each item', async () => {
  const tool = mcpTool(GREET, { batch: ['name'], gatewayArguments: ['also', 'count'] } as never);
  const input = {
    ...tool.inputSchema,
    properties: { ...(tool.inputSchema.properties as object), also: {}, count: {} },
  };
  const { call, messages, close } = await openMcpFixture({ tools: [{ ...tool, inputSchema: input }] });
  open.push(close);
  const { structuredContent } = await call('people_greet', { name: 'Ada', also: ['Eve'], count: 2 });
  expect(structuredContent).toMatchObject({ batch: { count: 2, done: 2 } });
  expect(messages().filter((name) => name === 'greet')).toHaveLength(2);
});
