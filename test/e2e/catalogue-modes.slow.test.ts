import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from '../../sandbox/index.ts';
import type { CatalogueMode } from '../../server/base/principal/permission.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { INSPECTOR, inspect, inspectCall } from '../support/inspector.ts';
import { type ClientMode, connectClient } from '../support/mcp-client.ts';
import { connectV1Client } from '../support/official-clients.ts';

const MODES: readonly [mode: CatalogueMode, tools: number][] = [
  ['lean', 68],
  ['full', 68],
  ['compact', 69],
  ['search', 4],
];
const RETRIEVE = { name: 'retrieval_retrieve', arguments: { query: 'parental leave in Berlin', topK: 2 } };

let sandbox: OpenSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ root: resolve(import.meta.dirname, '../..'), credential: 'sandbox-key' });
});
afterAll(() => sandbox?.close());

describe.each(MODES)('a gateway in mode %s', (mode, count) => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startGateway({
      connectors: await loadConnectors(),
      env: Object.assign({ CATALOGUE_MODE: mode }, ...Object.values(sandbox.environment)),
      secretOf: () => 'sandbox-key',
    });
  });
  afterAll(() => gateway?.close());

  test('serves the v1 SDK client', async () => {
    const client = await connectV1Client(gateway);
    expect(client.transport).toMatchObject({ protocolVersion: '2025-11-25', sessionId: undefined });
    expect((await client.listTools()).tools).toHaveLength(count);
    const found = await client.callTool({ name: 'search_tools', arguments: { words: 'search my documents' } });
    expect(JSON.stringify(found.structuredContent)).toContain(RETRIEVE.name);
    for (const call of [RETRIEVE, { name: 'call_reading_tool', arguments: RETRIEVE }]) {
      expect((await client.callTool(call)).structuredContent).toHaveProperty('scored_chunks');
    }
    await client.close();
  });

  test.each<[ClientMode, string]>([
    ['legacy', '2025-11-25'],
    ['auto', '2026-07-28'],
    ['2026-07-28', '2026-07-28'],
  ])('serves the v2 SDK client in mode %s, in revision %s', async (its, revision) => {
    const client = await connectClient({ ...gateway, mode: its });
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect((await client.listTools()).tools).toHaveLength(count);
    const described = await client.callTool({ name: 'describe_tools', arguments: { names: [RETRIEVE.name] } });
    expect(JSON.stringify(described.structuredContent)).toContain('"topK"');
    for (const call of [RETRIEVE, { name: 'call_reading_tool', arguments: RETRIEVE }]) {
      expect((await client.callTool(call)).structuredContent).toHaveProperty('scored_chunks');
    }
    await client.close();
  });

  test.skipIf(INSPECTOR === null).each(['legacy', 'modern'])(
    'serves the MCP Inspector in era %s without a schema error',
    async (era) => {
      const list = await inspect(gateway, era, '--method', 'tools/list', '--strict');
      expect(list.exitCode).toBe(0);
      const printed = JSON.parse(list.output);
      expect((printed.result ?? printed).tools).toHaveLength(count);
      const made = mode === 'search' ? { name: 'call_reading_tool', arguments: RETRIEVE } : RETRIEVE;
      const { exitCode, output } = await inspectCall(gateway, era, made);
      expect([exitCode, output.includes('scored_chunks')]).toEqual([0, true]);
    },
    60_000,
  );
});
