/** The process that `gateway.ts` measures: an upstream that answers at once, a bare relay to it, and the whole gateway. */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { MCP_PATH } from '../../server/app.ts';
import { loadConfig } from '../../server/config.ts';
import { createCredentialVault } from '../../server/credentials/index.ts';
import { createGateway } from '../../server/gateway.ts';
import { createLog } from '../../server/http/log.ts';
import { loadConnectors } from '../../server/tools/catalogue/connectors.ts';
import { seedUser } from '../demo/seed.ts';

/** What the measuring process has to know. */
export interface BenchServers {
  readonly gateway: string;
  readonly token: string;
  readonly relay: string;
}

const ANSWER = JSON.stringify({ documents: [], pagination: { next_cursor: null, total_count: 0 } });

async function listen(listener: RequestListener): Promise<{ server: Server; origin: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const upstream = await listen((_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(ANSWER);
});

const agent = new Agent({ connections: 64 });
const relay = await listen(async (incoming, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { id } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { id: number };
  const answer = await request(`${upstream.origin}/documents`, { dispatcher: agent });
  const text = await answer.body.text();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }));
});

const folder = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
const key = randomBytes(32);
const connectors = await loadConnectors();
const listening = await listen((incoming, response) => gateway.handle(incoming, response));
const config = loadConfig({
  connectors,
  env: {
    PUBLIC_URL: listening.origin,
    DATABASE_URL: `sqlite:${join(folder, 'gateway.sqlite')}`,
    ENCRYPTION_KEYS: `bench:${key.toString('base64')}`,
    LOG_LEVEL: 'warn',
    TOOL_CALLS_PER_MINUTE: '1000000',
    RETRIEVAL_BASE_URL: upstream.origin,
  },
});
const gateway = await createGateway({ config, connectors, log: createLog({ level: config.logLevel }) });
const { token } = await seedUser({
  store: gateway.store,
  vault: createCredentialVault({ keys: config.encryptionKeys ?? [] }),
  partner: 'bench',
  user: 'bench',
  connectors,
  secretOf: () => 'bench',
  resource: listening.origin + MCP_PATH,
  now: Date.now(),
});

process.on('message', async (message) => {
  if (message === 'cpu') {
    process.send?.(process.cpuUsage());
    return;
  }
  for (const { server } of [listening, relay, upstream]) server.closeAllConnections();
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
  process.exit();
});
process.send?.({ gateway: listening.origin + MCP_PATH, token, relay: relay.origin } satisfies BenchServers);
