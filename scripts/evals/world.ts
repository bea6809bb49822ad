/**
 * The environment that a model works in: the sandbox's world, a gateway before it, and the official MCP client of a user who connected everything.
 */

import { randomBytes } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type OpenSandbox, openSandbox } from '../../sandbox/index.ts';
import { needsUpstreamClient } from '../../server/base/credentials/kinds.ts';
import { openVault } from '../../server/base/credentials/store-key.ts';
import type { Connector } from '../../server/contract/index.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { freePort } from '../../shared/cli/free-port.ts';
import { seedUser } from '../demo/seed.ts';
import { startGateway } from '../demo/start.ts';

interface WorldOptions {
  /** The folder that contains `specs/`. */
  readonly root: string;
  readonly connectors: readonly Connector[];
  /** Value of CATALOGUE_MODE. */
  readonly mode: string;
  /** People of the world. */
  readonly people: number;
}

export interface OpenWorld {
  readonly sandbox: OpenSandbox;
  readonly client: Client;
  close(): Promise<void>;
}

/** Opens a world in which nothing has happened. Services whose users sign in with OAuth 2.0 are not connected. */
export async function openWorld({ root, connectors, mode, people }: WorldOptions): Promise<OpenWorld> {
  const started: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let end = started.pop(); end !== undefined; end = started.pop()) await end();
  };
  try {
    const secret = `sandbox-${randomBytes(9).toString('base64url')}`;
    const sandbox = await openSandbox({ root, connectors, credential: secret, world: people });
    started.push(() => sandbox.close());
    // A model waits for the limits of a service; a measure need not.
    const unlimited = connectors.map(({ caps: _, ...connector }) => connector);
    const key = randomBytes(32);
    const settings = {
      PORT: String(await freePort()),
      ENCRYPTION_KEYS: `evals:${key.toString('base64')}`,
      LOG_LEVEL: 'silent',
      CATALOGUE_MODE: mode,
      TOOL_CALLS_PER_MINUTE: '1000000',
      UPSTREAM_TIMEOUT_MS: '60000',
      ...Object.assign({}, ...Object.values(sandbox.environment)),
    };
    const { gateway, publicUrl } = await startGateway(unlimited, settings, started);
    const resource = publicUrl + MCP_PATH;
    const { token } = await seedUser({
      store: gateway.store,
      vault: await openVault(gateway.store.db, [{ id: 'evals', key }]),
      now: Date.now(),
      partner: 'evals',
      user: 'ada',
      resource,
      secretOf: () => secret,
      connectors: unlimited.filter(({ credential }) => !needsUpstreamClient(credential)),
    });
    const client = new Client({ name: 'utg-evals', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(resource), { requestInit }));
    started.push(() => client.close());
    return { sandbox, client, close };
  } catch (error) {
    await close();
    throw error;
  }
}
