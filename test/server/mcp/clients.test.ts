import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCatalogue } from '../../../server/tools/catalogue/catalogue.ts';
import { loadConnectors } from '../../../server/tools/catalogue/connectors.ts';
import { accessTo } from '../../support/access.ts';
import { connectClient } from '../../support/mcp-client.ts';
import { ECHO_TOOL, echo, provideTools, type RunningEndpoint, startEndpoint } from './support.ts';

let endpoint: RunningEndpoint;
let everything: RunningEndpoint;
let count: number;
beforeAll(async () => {
  endpoint = await startEndpoint({ tools: provideTools({ library_echo: echo }) });
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
});

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<object>;
  close(): Promise<void>;
}

const CLIENTS: readonly [string, (url: string) => Promise<AnyClient>][] = [
  [
    'the v1 client',
    async (url) => {
      const client = new ClientV1({ name: 'v1', version: '1.0.0' });
      await client.connect(new TransportV1(new URL(url)) as Transport);
      return client as AnyClient;
    },
  ],
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

    it('is told of a tool that does not exist', async () => {
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

it('a v2 client that chooses finds 2026-07-28', async () => {
  const client = await connectClient({ url: endpoint.url, token: 'ada' });
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  expect(client.getServerVersion()).toMatchObject({ name: 'test-gateway' });
  await client.close();
});
