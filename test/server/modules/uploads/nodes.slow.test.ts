import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { seedUser } from '../../../../scripts/demo/seed.ts';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { type GatewayProcesses, SHARED_PUBLIC_URL, startGatewayProcesses } from '../../../support/gateway-processes.ts';
import { vaultBeside } from '../../../support/vault-beside.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { type Host, startHost } from '../../call/upstream/support.ts';
import { PDF, TOOL, WORLD } from './support.ts';

vi.setConfig({ testTimeout: 150_000, hookTimeout: 150_000 });

describeStore('an upload at two gateways with one store', (given) => {
  let host: Host;
  let gateways: GatewayProcesses;
  let token: string;
  let writes: number;

  beforeEach(async () => {
    writes = 0;
    host = await startHost(async (_request, response) => {
      writes += 1;
      response.setHeader('content-type', 'application/json');
      response.end('{"stored":true}');
    });
    const seed = {
      store: given.store,
      vault: await vaultBeside(given.store),
      partner: 'acme',
      user: 'ada',
      connectors: WORLD.connectors,
      secretOf: () => '',
      now: Date.now(),
      resource: SHARED_PUBLIC_URL + MCP_PATH,
    };
    ({ token } = await seedUser(seed));
    gateways = await startGatewayProcesses({
      count: 2,
      databaseUrl: given.url,
      script: 'test/server/modules/uploads/gateway-main.ts',
      env: { LIBRARY_BASE_URL: host.origin, ARCHIVE_BASE_URL: host.origin },
    });
  });
  afterEach(async () => {
    await gateways.stop();
    await host.close();
  });

  const call = async (node: number, name: string, args: object) => {
    const response = await fetch(gateways.origins[node] + MCP_PATH, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the test inspects a raw answer
    return ((await response.json()) as any).result;
  };

  test('is sent to one and used at the other, and only one of both takes it', async () => {
    const { structuredContent } = await call(0, TOOL, { tool: 'library_attach', argument: 'file' });
    const { handle, putUrl } = structuredContent.upload;
    const path = new URL(putUrl).pathname;
    const send = (node: number) =>
      fetch(gateways.origins[node] + path, { method: 'PUT', body: new Uint8Array(PDF) }).then(({ status }) => status);
    const statuses = await Promise.all([0, 1, 0, 1].map(send));
    expect(statuses.toSorted()).toEqual([201, 404, 404, 404]);
    expect((await call(1, 'library_attach', { file: handle })).isError).toBeUndefined();
    expect((await call(0, 'library_attach', { file: handle })).isError).toBe(true);
    expect(writes).toBe(1);
    expect(gateways.log()).not.toContain(path.split('/').at(-1));
  });
});
