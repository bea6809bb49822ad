import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, test } from 'vitest';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function listen(answer: (request: IncomingMessage, origin: string) => [link: string, next: string]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const [link, next] = answer(request, elsewhere);
    response.writeHead(200, { 'content-type': 'application/json', link });
    response.end(JSON.stringify({ data: [{ id: 1 }], next }));
  });
  let elsewhere = '';
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  open.push({ close: () => server.close() });
  return { origin, requests, leadTo: (other: string) => (elsewhere = other) };
}

const INPUT = {
  type: 'object',
  properties: {
    page: { type: 'integer' },
    limit: { type: 'integer', maximum: 100 },
    maxItems: { type: 'integer' },
  },
  additionalProperties: false,
} as const;

describe('an upstream that links to the next page at another host', () => {
  test.each(['header', 'body'])('in the %s gets no request to that host or to another path', async (place) => {
    const thief = await listen(() => ['', '']);
    const upstream = await listen((request, elsewhere) => {
      const page = Number(new URL(request.url ?? '/', 'http://host').searchParams.get('page') ?? 1);
      const next = page < 3 ? `${elsewhere}/things/../secrets?page=${page + 1}` : '';
      return [next === '' ? '' : `<${next}>; rel="next"`, next];
    });
    upstream.leadTo(thief.origin);
    const tool = fakeTool({
      name: 'library_list',
      input: INPUT,
      request: { query: { page: 'page', limit: 'limit' } },
      more: {
        gatewayArguments: ['maxItems'],
        page: {
          kind: 'link',
          argument: 'page',
          items: '/data',
          size: 'limit',
          ...(place === 'body' ? { next: '/next' } : {}),
        },
      },
    });
    const parts = [{ id: 'key', type: 'bearer', label: 'Key', name: null }] as const;
    const gateway: RunningGateway = await startGateway({
      connectors: [fakeConnector({ tools: [tool], parts })],
      env: { LIBRARY_BASE_URL: upstream.origin },
      secretOf: () => 'the-credential',
    });
    open.push(gateway);
    const client: Client = await connectClient(gateway);
    open.push(client);
    const result = await client.callTool({ name: 'library_list', arguments: { maxItems: 10 } });
    expect(result.structuredContent).toMatchObject({ data: [{ id: 1 }, { id: 1 }, { id: 1 }] });
    expect(thief.requests).toEqual([]);
    expect(upstream.requests.map(({ url }) => url)).toEqual([
      '/things?limit=10',
      '/things?page=2&limit=10',
      '/things?page=3&limit=10',
    ]);
  });
});
