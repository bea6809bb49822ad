import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { type ClientMode, connectClient } from '../../../support/mcp-client.ts';
import { type Host, startHost } from '../upstream/support.ts';
import { ADD_BOOK, libraryConnector } from './connector.ts';

let host: Host;
let gateway: RunningGateway;
beforeEach(async () => {
  let number = 0;
  host = await startHost((_, response) => {
    number += 1;
    response.writeHead(201).end(`{"number":${number}}`);
  });
  gateway = await startGateway({
    connectors: [libraryConnector()],
    env: { LIBRARY_BASE_URL: host.origin },
    secretOf: () => '',
  });
});
afterEach(async () => {
  await gateway.close();
  await host.close();
});

describe.each(['idempotencyKey', 'io.modelcontextprotocol/idempotencyKey'])('%s in _meta', (name) => {
  const call = (key: unknown) => ({ name: ADD_BOOK, arguments: { title: 'A' }, _meta: { [name]: key } });

  test('of the v1 SDK client makes a call once', async () => {
    const client = new V1Client({ name: 'v1', version: '1.0.0' });
    const transport = new V1Transport(new URL(gateway.url), {
      requestInit: { headers: { Authorization: `Bearer ${gateway.token}` } },
    });
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    const first = await client.callTool(call('k'));
    expect(await client.callTool(call('k'))).toEqual(first);
    expect(first.structuredContent).toEqual({ number: 1 });
    await client.callTool(call('other'));
    expect(host.hits()).toBe(2);
    await expect(client.callTool(call(''))).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  test.each<ClientMode>(['legacy', 'auto', '2026-07-28'])(
    'of the v2 SDK client in mode %s makes a call once',
    async (mode) => {
      const client = await connectClient({ ...gateway, mode });
      const first = await client.callTool(call('k'));
      expect(await client.callTool(call('k'))).toEqual(first);
      expect(first.structuredContent).toEqual({ number: 1 });
      await client.callTool(call('other'));
      expect(host.hits()).toBe(2);
      await expect(client.callTool(call(7))).rejects.toMatchObject({ code: -32602 });
      await client.close();
    },
  );
});

test('two different keys are rejected', async () => {
  const client = await connectClient(gateway);
  const _meta = { idempotencyKey: 'a', 'io.modelcontextprotocol/idempotencyKey': 'b' };
  await expect(client.callTool({ name: ADD_BOOK, _meta })).rejects.toMatchObject({ code: -32602 });
  expect(host.hits()).toBe(0);
  await client.close();
});

test('the id that a host gives a tool call is not a key', async () => {
  const client = await connectClient(gateway);
  const _meta = { 'claudecode/toolUseId': 'call_0' };
  await client.callTool({ name: ADD_BOOK, _meta });
  await client.callTool({ name: ADD_BOOK, _meta });
  expect(host.hits()).toBe(2);
  await client.close();
});
