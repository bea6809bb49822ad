import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { describeStore } from '../../../base/store/dialects.ts';
import { ADD, BURN, type NodesUnderTest, outcomeOf, RawClient, startNodes } from './support.ts';

vi.setConfig({ testTimeout: 30_000 });

const INITIALIZE = {
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { roots: { listChanged: true }, elicitation: { form: {}, url: {} } },
    clientInfo: {
      name: 'claude-code',
      title: 'Claude Code',
      version: '2.1.330',
      description: "Anthropic's agentic coding tool",
      websiteUrl: 'https://claude.com/claude-code',
    },
  },
  jsonrpc: '2.0',
  id: 0,
};
const _meta = { 'claudecode/toolUseId': 'toolu_1', progressToken: 2 };

describeStore('Claude Code 2.1.330, as it was recorded with a gateway that refuses server/discover', (given) => {
  let nodes: NodesUnderTest;
  let client: RawClient;
  beforeEach(async () => {
    nodes = await startNodes(given, { APPROVALS: 'write', APPROVAL_CHANNELS: 'page,client' });
    client = new RawClient(nodes, (await nodes.user('ada')).token);
    client.session = (await client.post(0, INITIALIZE)).headers.get('mcp-session-id');
    expect((await client.post(0, { method: 'notifications/initialized' })).status).toBe(202);
  });
  afterEach(() => nodes.close());

  test('approves by a form', async () => {
    const call = await client.call(ADD, { id: 2, _meta });
    const { id } = await call.next();
    await client.post(0, { result: { action: 'accept', content: {} }, jsonrpc: '2.0', id });
    expect(outcomeOf(await call.next())).toBe('ok');
    expect(nodes.writes()).toBe(1);
  });

  test('opens the page, is told that the user has approved, and gets the result', async () => {
    const call = await client.call(BURN, { id: 2, _meta });
    const { id } = await call.next();
    await client.post(0, { result: { action: 'accept', content: {} }, jsonrpc: '2.0', id });
    await nodes.decide(true);
    expect(await call.next()).toMatchObject({
      method: 'notifications/elicitation/complete',
      params: { elicitationId: id },
    });
    expect(outcomeOf(await call.next())).toBe('ok');
    expect(nodes.writes()).toBe(1);
  });

  test('without a person who answers cancels, and its model gets the address', async () => {
    const call = await client.call(ADD, { id: 2, _meta });
    const { id } = await call.next();
    await client.post(0, { result: { action: 'cancel' }, jsonrpc: '2.0', id });
    expect(outcomeOf(await call.next())).toBe('awaiting_approval');
    expect(nodes.writes()).toBe(0);
  });
});
