import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { connectClient } from '../../support/mcp-client.ts';
import { type Service, startService } from './service.ts';

const stream = (operationId: string, mediaType: string) => ({
  get: { operationId, responses: { '200': { description: 'Events.', content: { [mediaType]: {} } } } },
});

let open = 0;
const write = (response: ServerResponse, type: string, text: string) => {
  open += 1;
  response.on('close', () => {
    open -= 1;
  });
  response.writeHead(200, { 'content-type': type }).write(text);
};
const upstream = createServer(({ url }, response) => {
  if (url === '/events')
    write(response, 'text/event-stream; charset=utf-8', 'data: {"n":1}\n\ndata: {"n":2}\n\ndata: {');
  else if (url === '/silent') write(response, 'text/event-stream', '');
  else if (url === '/large') write(response, 'application/x-ndjson', `{"n":1}\n"${'x'.repeat(2000)}"\n`);
  else response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end('{"n":1}\n{"n":2}\n');
});

let service: Service;
let gateway: RunningGateway;
beforeAll(async () => {
  service = await startService({
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    security: [{ key: [] }],
    paths: {
      '/events': stream('events', 'text/event-stream'),
      '/silent': stream('silent', 'text/event-stream'),
      '/large': stream('large', 'application/x-ndjson'),
      '/ended': stream('ended', 'application/x-ndjson'),
    },
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  gateway = await startGateway({
    connectors: [service.connector],
    env: {
      FORMS_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
      UPSTREAM_TIMEOUT_MS: '1000',
      MAX_RESULT_BYTES: '1024',
    },
    secretOf: () => 'secret',
  });
}, 120_000);
afterAll(async () => {
  await gateway?.close();
  await service?.close();
  upstream.closeAllConnections();
  upstream.close();
});

describe('the answer of a stream', () => {
  test.each([
    ['events', { items: [{ data: { n: 1 } }, { data: { n: 2 } }], streamEnded: false }],
    ['silent', { items: [], streamEnded: false }],
    ['large', { items: [{ n: 1 }], streamEnded: false }],
    ['ended', { items: [{ n: 1 }, { n: 2 }], streamEnded: true }],
  ])('holds what arrived within the deadline and the limit: %s', async (name, want) => {
    const client = await connectClient(gateway);
    const { structuredContent, isError } = await client.callTool({ name: `forms_${name}`, arguments: {} });
    await client.close();
    expect({ structuredContent, isError: isError ?? false }).toEqual({ structuredContent: want, isError: false });
    await expect.poll(() => open).toBe(0);
  });
});
