/** Starts a whole gateway in this process, on a store of its own, with one user who is connected to every service. */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seedUser } from '../../scripts/demo/seed.ts';
import { MCP_PATH } from '../../server/app.ts';
import { loadConfig } from '../../server/config/index.ts';
import type { Connector } from '../../server/contract/index.ts';
import { createCredentialVault } from '../../server/credentials/index.ts';
import { createGateway, type Gateway } from '../../server/gateway.ts';
import type { GuardedFetch } from '../../server/guarded-fetch/index.ts';
import type { Outgoing } from '../../server/guarded-fetch/outgoing.ts';
import { createLog } from '../../server/http/log.ts';
import type { Store } from '../../server/store/index.ts';
import type { Sinks } from '../../server/telemetry/index.ts';
import { keyBytes } from './keys.ts';
import { copyMigratedDatabase } from './migrated-database.ts';

const ENCRYPTION_KEYS = `test:${keyBytes(1).toString('base64')}`;

export interface GatewayOptions {
  readonly connectors: readonly Connector[];
  /** Settings, such as `RETRIEVAL_BASE_URL`. */
  readonly env?: Readonly<Record<string, string>>;
  /** The upstream secret of each of the user's connections. */
  readonly secretOf: (connector: Connector) => string;
  /** What fetches documents of clients. Default: that of the gateway. */
  readonly documents?: GuardedFetch;
  /** The way out. Default: that of the gateway. */
  readonly outgoing?: Outgoing;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  /** Takes the lines of the log, all of them. Default: there is none. */
  readonly log?: (line: string) => void;
  /** Where traces go. Default: where the settings say. */
  readonly sinks?: Sinks;
}

export interface RunningGateway {
  /** Origin of its listener, whatever `PUBLIC_URL` is. */
  readonly listensAt: string;
  /** Of the MCP endpoint. */
  readonly url: string;
  /** Of a user who is connected to every service. */
  readonly token: string;
  readonly store: Store;
  /** For commands next to the gateway. */
  readonly databaseUrl: string;
  readonly encryptionKeys: string;
  /** Ends it as a signal does; the database stays until `close`. */
  stop(): Promise<void>;
  /** What the listener for metrics answers. */
  readonly metrics: Gateway['handleMetrics'];
  close(): Promise<void>;
}

export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-'));
  const database = join(folder, 'gateway.sqlite');
  await copyMigratedDatabase(database);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = loadConfig({
    connectors: options.connectors,
    env: {
      PUBLIC_URL: origin,
      DATABASE_URL: `sqlite:${database}`,
      ENCRYPTION_KEYS,
      TOOL_CALLS_PER_MINUTE: '100000',
      REFRESH_HOLD_MS: '100',
      LOG_LEVEL: options.log === undefined ? 'silent' : 'trace',
      ...options.env,
    },
  });
  const gateway = await createGateway({
    config,
    connectors: options.connectors,
    log: createLog({
      level: config.logLevel,
      ...(options.log === undefined ? {} : { destination: { write: options.log } }),
    }),
    ...(options.documents === undefined ? {} : { documents: options.documents }),
    ...(options.outgoing === undefined ? {} : { outgoing: options.outgoing }),
    ...(options.now === undefined ? {} : { now: options.now }),
    ...(options.sinks === undefined ? {} : { sinks: options.sinks }),
  });
  server.on('request', gateway.handle);
  const seeded = await seedUser({
    store: gateway.store,
    vault: createCredentialVault({ keys: config.encryptionKeys ?? [] }),
    partner: 'test',
    user: 'ada',
    connectors: options.connectors,
    secretOf: options.secretOf,
    resource: config.publicUrl + MCP_PATH,
    now: Date.now(),
  });
  let stopped: Promise<void> | undefined;
  const stopOnce = async (): Promise<void> => {
    gateway.beginStop();
    await gateway.cutOff();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await gateway.close();
  };
  const stop = (): Promise<void> => {
    stopped ??= stopOnce();
    return stopped;
  };
  return {
    listensAt: origin,
    url: origin + MCP_PATH,
    token: seeded.token,
    store: gateway.store,
    databaseUrl: config.databaseUrl,
    encryptionKeys: ENCRYPTION_KEYS,
    stop,
    metrics: gateway.handleMetrics,
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
