/** Starts a whole gateway in this process, on a store of its own, with one user who is connected to every service. */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seedUser } from '../../scripts/demo/seed.ts';
import { createApp, MCP_PATH } from '../../server/app.ts';
import { loadConfig } from '../../server/config.ts';
import { createCredentialVault } from '../../server/credentials/index.ts';
import { createLog } from '../../server/http/log.ts';
import { createMcpEndpoint } from '../../server/mcp/endpoint.ts';
import { openStore } from '../../server/store/index.ts';
import { createCatalogue } from '../../server/tools/catalogue.ts';
import type { Connector } from '../../server/tools/contract.ts';
import { createCallLimit } from '../../server/tools/limits.ts';
import { createUserTools } from '../../server/tools/user-tools.ts';
import { createValidators } from '../../server/tools/validate.ts';
import { createConnectionLookup } from '../../server/upstream/connections.ts';
import { createUpstream } from '../../server/upstream/index.ts';

export interface GatewayOptions {
  readonly connectors: readonly Connector[];
  /** Settings, such as `RETRIEVAL_BASE_URL`. */
  readonly env?: Readonly<Record<string, string>>;
  /** The upstream secret of each of the user's connections. */
  readonly secretOf: (connector: Connector) => string;
}

export interface RunningGateway {
  /** Of the MCP endpoint. */
  readonly url: string;
  /** Of a user who is connected to every service. */
  readonly token: string;
  close(): Promise<void>;
}

export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-'));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = loadConfig({
    connectors: options.connectors,
    env: { PUBLIC_URL: origin, TOOL_CALLS_PER_MINUTE: '100000', LOG_LEVEL: 'silent', ...options.env },
  });
  const store = await openStore({ url: `sqlite:${join(folder, 'gateway.sqlite')}` });
  const vault = createCredentialVault({ keys: [{ id: 'test', key: new Uint8Array(32) }] });
  const log = createLog({ level: config.logLevel });
  const upstream = createUpstream({
    baseUrls: config.baseUrls,
    timeoutMs: config.upstreamTimeoutMs,
    maxResultBytes: config.maxResultBytes,
    userAgent: 'test',
  });
  const tools = createUserTools({
    catalogue: createCatalogue(options.connectors),
    upstream,
    validators: createValidators(),
    maxResultBytes: config.maxResultBytes,
    now: Date.now,
    onFault: () => {},
    findConnection: createConnectionLookup({ executor: store.db, vault }),
    limit: createCallLimit({ calls: config.toolCallsPerMinute, seconds: 60 }),
    record: () => {},
  });
  const mcp = createMcpEndpoint({
    tools,
    serverInfo: { name: 'test', version: '1' },
    instructions: '',
    logger: log,
    maxBodyBytes: config.maxBodyBytes,
  });
  const app = createApp({ config, log, store, mcp: mcp.middleware, isStopping: () => false });
  server.on('request', app.callback());
  const seeded = await seedUser({
    store,
    vault,
    partner: 'test',
    user: 'ada',
    connectors: options.connectors,
    secretOf: options.secretOf,
    resource: origin + MCP_PATH,
    now: Date.now(),
  });
  return {
    url: origin + MCP_PATH,
    token: seeded.token,
    async close() {
      await mcp.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await upstream.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
