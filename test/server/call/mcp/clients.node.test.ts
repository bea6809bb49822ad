import { setTimeout as delay } from 'node:timers/promises';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import { loadConnectors } from '../../../../server/call/tools/catalogue/connectors.ts';
import { accessTo } from '../../../support/access.ts';
import { connectClient } from '../../../support/mcp-client.ts';
import { connectV1Client } from '../../../support/official-clients.ts';
import { ECHO_TOOL, echo, provideTools, type RunningEndpoint, startEndpoint } from './support.ts';

let endpoint: RunningEndpoint;
let everything: RunningEndpoint;
let slow: RunningEndpoint;
let count: number;
beforeAll(async () => {
  endpoint = await startEndpoint({ tools: provideTools({ library_echo: echo }) });
  slow = await startEndpoint({
    progress: { afterMs: 50, everyMs: 50 },
    tools: provideTools({
      library_echo: async (args, { signal }) => {
        await delay(2_500, undefined, { signal });
        return echo(args);
      },
    }),
  });
  const connectors = await loadConnectors();
  const catalogue = createCatalogue(connectors);
  const services = connectors.map(({ name }) => name);
  count = connectors.flatMap(({ tools }) => tools).length;
  everything = await startEndpoint({
    tools: { ...provideTools({}), list: () => catalogue.list(accessTo(services)) },
  });
});
afterAll(async () => {
  await endpoint.close();
  await everything.close();
  await slow.close();
});

interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

interface CallOptions {
  onprogress(progress: { progress: number; message?: string | undefined }): void;
  /** Milliseconds. */
  timeout: number;
  resetTimeoutOnProgress: true;
}

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: ToolCall): Promise<object>;
  close(): Promise<void>;
}

const CLIENTS: readonly [string, (url: string) => Promise<AnyClient>][] = [
  ['the v1 client', async (url) => (await connectV1Client({ url, token: 'ada' })) as AnyClient],
  [
    'the v2 client as it comes',
    async (url) => {
      const client = new ClientV2({ name: 'v2', version: '1.0.0' });
      await client.connect(new TransportV2(new URL(url)));
      return client as AnyClient;
    },
  ],
  ['the v2 client on 2025', async (url) => (await connectClient({ url, token: 'ada', mode: 'legacy' })) as AnyClient],
  ['the v2 client choosing', async (url) => (await connectClient({ url, token: 'ada', mode: 'auto' })) as AnyClient],
  [
    'the v2 client on 2026',
    async (url) => (await connectClient({ url, token: 'ada', mode: '2026-07-28' })) as AnyClient,
  ],
];

function callLong(client: AnyClient, call: ToolCall, options: CallOptions): Promise<object> {
  return client instanceof ClientV1
    ? client.callTool(call, undefined, options)
    : (client as unknown as ClientV2).callTool(call, options);
}

for (const [title, connect] of CLIENTS) {
  describe(title, () => {
    it('lists and calls a tool', async () => {
      const client = await connect(endpoint.url);
      const { tools } = await client.listTools();
      expect(tools).toEqual([ECHO_TOOL]);
      const result = await client.callTool({ name: 'library_echo', arguments: { text: 'Grüße' } });
      expect(result).toMatchObject({
        content: [{ type: 'text', text: '{"text":"Grüße"}' }],
        structuredContent: { text: 'Grüße' },
      });
      await client.close();
    });

    it('waits for a call beyond its timeout, because it gets progress', async () => {
      const client = await connect(slow.url);
      const heard: number[] = [];
      const options: CallOptions = {
        timeout: 1_500,
        resetTimeoutOnProgress: true,
        onprogress: ({ progress, message }) => {
          expect(message).toMatch(/^Waiting for the service behind library_echo: \d+ s\.$/);
          heard.push(progress);
        },
      };
      const call = { name: 'library_echo', arguments: { text: 'late' } };
      const result = await callLong(client, call, options);
      expect(result).toMatchObject({ structuredContent: { text: 'late' } });
      expect(heard.length).toBeGreaterThan(1);
      expect(heard).toEqual([...new Set(heard)].sort((a, b) => a - b));
      await client.close();
    });

    it('gets an error for a tool that does not exist', async () => {
      const client = await connect(endpoint.url);
      await expect(client.callTool({ name: 'library_eco', arguments: {} })).rejects.toThrow(
        /Unknown tool: library_eco/,
      );
      await client.close();
    });

    it('accepts every generated tool', async () => {
      const client = await connect(everything.url);
      expect((await client.listTools()).tools).toHaveLength(count);
      await client.close();
    });
  });
}

it('a v2 client in auto mode uses 2026-07-28', async () => {
  const client = await connectClient({ url: endpoint.url, token: 'ada' });
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  expect(client.getServerVersion()).toMatchObject({ name: 'test-gateway' });
  await client.close();
});
