import { resolve } from 'node:path';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from '../../sandbox/index.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { INSPECTOR, inspect, inspectCall } from '../support/inspector.ts';
import { type ClientMode, connectClient } from '../support/mcp-client.ts';

const TOOL_COUNT = 68;
const SEARCH = { name: 'retrieval_retrieve', arguments: { query: 'parental leave in Berlin', topK: 2 } };

let sandbox: OpenSandbox;
let gateway: RunningGateway;
beforeAll(async () => {
  sandbox = await openSandbox({ root: resolve(import.meta.dirname, '../..'), credential: 'sandbox-key' });
  gateway = await startGateway({
    connectors: await loadConnectors(),
    env: Object.assign({}, ...Object.values(sandbox.environment)),
    secretOf: () => 'sandbox-key',
  });
});
afterAll(async () => {
  await gateway?.close();
  await sandbox?.close();
});

describe('the v1 SDK client', () => {
  test('lists all tools and calls one in revision 2025-11-25', async () => {
    const client = new V1Client({ name: 'v1', version: '1.0.0' });
    const transport = new V1Transport(new URL(gateway.url), {
      requestInit: { headers: { Authorization: `Bearer ${gateway.token}` } },
    });
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    expect(transport.protocolVersion).toBe('2025-11-25');
    expect(transport.sessionId).toBeUndefined();
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(TOOL_COUNT);
    const result = await client.callTool(SEARCH);
    expect(result.isError ?? false).toBe(false);
    expect(result.structuredContent).toHaveProperty('scored_chunks');
    await client.close();
  });
});

describe('the v2 SDK client', () => {
  test.each<[ClientMode, string]>([
    ['legacy', '2025-11-25'],
    ['auto', '2026-07-28'],
    ['2026-07-28', '2026-07-28'],
  ])('in mode %s, lists all tools and calls one in revision %s', async (mode, revision) => {
    const client = await connectClient({ ...gateway, mode });
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(TOOL_COUNT);
    const result = await client.callTool(SEARCH);
    expect(result.isError ?? false).toBe(false);
    expect(result.structuredContent).toHaveProperty('scored_chunks');
    await client.close();
  });
});

describe.skipIf(INSPECTOR === null)('the MCP Inspector', () => {
  test.each(['legacy', 'modern'])(
    'lists all tools without a schema error and calls one in era %s',
    async (era) => {
      const list = await inspect(gateway, era, '--method', 'tools/list', '--strict');
      expect(list.exitCode).toBe(0);
      expect(JSON.parse(list.output).result?.tools ?? JSON.parse(list.output).tools).toHaveLength(TOOL_COUNT);
      const call = await inspectCall(gateway, era, SEARCH);
      expect(call.exitCode).toBe(0);
      expect(call.output).toContain('scored_chunks');
    },
    60_000,
  );
});
