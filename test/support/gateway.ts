/** Starts a complete gateway in this process, with its own store and one user who is connected to every service. */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { seedUser } from '../../scripts/demo/seed.ts';
import type { GuardedFetch } from '../../server/base/guarded-fetch/index.ts';
import type { Outgoing } from '../../server/base/guarded-fetch/outgoing.ts';
import type { RequestHandler } from '../../server/base/http/front.ts';
import { createLog } from '../../server/base/http/log.ts';
import { openStore, type Store } from '../../server/base/store/index.ts';
import type { Config } from '../../server/config/index.ts';
import type { Connector } from '../../server/contract/index.ts';
import { createGateway } from '../../server/gateway.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { loadConfig } from '../../server/index.ts';
import type { AnyModule } from '../../server/module.ts';
import { telemetry } from '../../server/modules/telemetry/module.ts';
import type { Sinks } from '../../server/modules/telemetry/settings.ts';
import { keyBytes } from './keys.ts';
import { copyMigratedDatabase, DATABASES } from './migrated-database.ts';
import { settingsOf } from './module-settings.ts';
import { vaultBeside } from './vault-beside.ts';

const ENCRYPTION_KEYS = `test:${keyBytes(1).toString('base64')}`;

export interface GatewayOptions {
  /** False: other gateways may have its SQLite file. */
  readonly alone?: boolean;
  readonly connectors: readonly Connector[];
  /** Settings, such as `RETRIEVAL_BASE_URL`. */
  readonly env?: Readonly<Record<string, string>>;
  /** The upstream secret of each of the user's connections. */
  readonly secretOf: (connector: Connector) => string;
  /** Fetches documents of clients. Default: the gateway's own. */
  readonly documents?: GuardedFetch;
  /** Outgoing connections. Default: the gateway's own. */
  readonly outgoing?: Outgoing;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  /** Receives every line of the log. Default: no log. */
  readonly log?: (line: string) => void;
  /** Default: every module that ships with the gateway. */
  readonly modules?: readonly AnyModule[];
  /** Destinations of traces. Default: those in the settings. */
  readonly sinks?: Sinks;
}

export interface RunningGateway {
  /** Origin of the listener, independent of `PUBLIC_URL`. */
  readonly listensAt: string;
  /** URL of the MCP endpoint. */
  readonly url: string;
  /** Access token of a user who is connected to every service. */
  readonly token: string;
  readonly store: Store;
  /** Database URL for commands that run next to the gateway. */
  readonly databaseUrl: string;
  readonly encryptionKeys: string;
  /** Stops the gateway as a signal does; the database stays until `close`. */
  stop(): Promise<void>;
  /** The handler of the metrics listener; null: there is none. */
  readonly metrics: RequestHandler | null;
  close(): Promise<void>;
}

/** The unpacked package in the folder that `PACKED` names; null: the code of this repository runs. */
const packed: typeof import('../../server/index.ts') | null =
  process.env.PACKED === undefined ? null : await import(resolve(process.env.PACKED, 'bundle/index.js'));

export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const folder = await mkdtemp(join(DATABASES, 'gateway-'));
  const database = join(folder, 'gateway.sqlite');
  // With other modules it makes other tables.
  if (options.modules === undefined) await copyMigratedDatabase(database);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = (packed?.loadConfig ?? loadConfig)({
    connectors: options.connectors,
    ...(options.modules === undefined ? {} : { modules: options.modules }),
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
  const parts: Parameters<typeof createGateway>[0] = {
    config: options.sinks === undefined ? config : withSinks(config, options.sinks),
    connectors: options.connectors,
    alone: options.alone ?? true,
    recordsEveryMs: 20,
    log: (packed?.createLog ?? createLog)({
      level: config.logLevel,
      ...(options.log === undefined ? {} : { destination: { write: options.log } }),
    }),
    ...(options.documents === undefined ? {} : { documents: options.documents }),
    ...(options.outgoing === undefined ? {} : { outgoing: options.outgoing }),
    ...(options.now === undefined ? {} : { now: options.now }),
  };
  const gateway =
    packed === null
      ? await createGateway(parts)
      : { ...(await packed.createGateway(parts)), store: await openStore({ url: config.databaseUrl }) };
  server.on('request', gateway.handle);
  const seeded = await seedUser({
    store: gateway.store,
    vault: await vaultBeside(gateway.store, config.encryptionKeys ?? []),
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
    if (packed !== null) await gateway.store.close();
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
    metrics: gateway.listeners.find(({ setting }) => setting === 'METRICS_LISTEN')?.handle ?? null,
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Replaces where telemetry is sent. */
function withSinks(config: Config, sinks: Sinks): Config {
  const modules = config.modules.map((each) => {
    const settings = settingsOf(config, telemetry) ?? null;
    return each.module.name === telemetry.name && settings !== null
      ? { ...each, settings: { ...settings, sinks } }
      : each;
  });
  return { ...config, modules };
}
