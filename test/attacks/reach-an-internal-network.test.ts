import type { LookupAddress } from 'node:dns';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createOutgoing } from '../../server/base/guarded-fetch/outgoing.ts';
import { startHost } from '../server/call/upstream/support.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function hostOf(): Promise<{ port: string; seen: string[] }> {
  const seen: string[] = [];
  const host = await startHost((request, response) => {
    seen.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end('{}');
  });
  closing.push(() => host.close());
  return { port: new URL(host.origin).port, seen };
}

async function gatewayTo(baseUrl: string, answers: readonly string[], networks: readonly string[] = []) {
  let asked = 0;
  const resolve = async (): Promise<LookupAddress[]> => {
    asked += 1;
    return [{ address: answers[Math.min(asked, answers.length) - 1] ?? '', family: 4 }];
  };
  const outgoing = createOutgoing({ networks, resolve });
  const gateway: RunningGateway = await startGateway({
    connectors: [fakeConnector({ tools: [fakeTool({ name: 'library_read' })] })],
    env: { LIBRARY_BASE_URL: baseUrl, PLAIN_HTTP_UPSTREAMS: new URL(baseUrl).hostname, OUTGOING_NETWORKS: 'none' },
    secretOf: () => 'none',
    outgoing,
  });
  closing.push(() => gateway.close());
  return {
    async call(): Promise<string> {
      const client = await connectClient(gateway);
      const { content } = await client.callTool({ name: 'library_read', arguments: {} });
      await client.close();
      return JSON.stringify(content);
    },
    asked: () => asked,
  };
}

describe('an upstream whose name resolves to an internal network', () => {
  test.each(['169.254.169.254', '127.0.0.1', '10.0.0.7'])('is not connected to at %s', async (address) => {
    const { port, seen } = await hostOf();
    const gateway = await gatewayTo(`http://crm.example:${port}`, [address]);
    expect(await gateway.call()).toContain('Library cannot be reached');
    expect([seen, gateway.asked()]).toEqual([[], 1]);
  });

  test('is not connected to after it resolved to an allowed address', async () => {
    const { port, seen } = await hostOf();
    const gateway = await gatewayTo(`http://crm.example:${port}`, ['127.0.0.1', '127.0.0.2'], ['127.0.0.1']);
    expect(await gateway.call()).not.toContain('cannot be reached');
    expect(await gateway.call()).toContain('Library cannot be reached');
    expect(seen).toHaveLength(1);
  });

  test('is reached if the operator allows the network', async () => {
    const { port, seen } = await hostOf();
    const gateway = await gatewayTo(`http://crm.example:${port}`, ['127.0.0.1'], ['127.0.0.0/8']);
    expect(await gateway.call()).not.toContain('cannot be reached');
    expect(seen).toEqual(['/things']);
  });
});

test('an upstream with an internal address in its URL stops the start', async () => {
  await expect(gatewayTo('http://169.254.169.254', [])).rejects.toThrow(
    'OUTGOING_NETWORKS does not include 169.254.169.254',
  );
});

describe("a client's document in an internal network", () => {
  test.each([
    ['none', 0],
    ['127.0.0.0/8', 1],
  ])('is connected to with OUTGOING_NETWORKS=%s as often as %i', async (networks, times) => {
    let connected = 0;
    const host = createServer((socket) => {
      connected += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    closing.push(async () => void host.close());
    const gateway = await startGateway({
      connectors: [fakeConnector({ tools: [fakeTool({ name: 'library_read' })] })],
      env: { OUTGOING_NETWORKS: networks, CLIENT_ID_METADATA_DOCUMENTS: 'on' },
      secretOf: () => 'none',
    });
    closing.push(() => gateway.close());
    const clientId = `https://127.0.0.1:${(host.address() as AddressInfo).port}/client.json`;
    const query = new URLSearchParams({ response_type: 'code', client_id: clientId });
    await fetch(`${gateway.listensAt}/api/mcp/oauth/authorize?${query}`);
    expect(connected).toBe(times);
  });
});
