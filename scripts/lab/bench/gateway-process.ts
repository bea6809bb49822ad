/** Starts a gateway as an operator does, on its own database with users who are connected to every service. */

import { hash, randomBytes } from 'node:crypto';
import path from 'node:path';
import { joinStoreKey, openVault } from '../../../server/base/credentials/store-key.ts';
import { openStore } from '../../../server/base/store/index.ts';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import { MCP_PATH } from '../../../server/gateway-paths.ts';
import { loadConfig } from '../../../server/index.ts';
import { createPostgresDatabase } from '../../../test/support/postgres-database.ts';
import { seedUser } from '../../demo/seed.ts';
import { CREDENTIAL, TOOL_NAME } from './call.ts';
import { type RunningSubject, type ServerProcess, type Surroundings, startServer } from './server-process.ts';

/** The URL that clients use for every gateway, whichever port it listens on. */
const PUBLIC_URL = 'http://127.0.0.1:3000';

/** The number of tools that the gateway ships with. */
export const SHIPPED_TOOLS = 68;

/**
 * Users who call in turn. The service of the called tool allows ten requests a second per user, and a gateway delays calls that exceed
 * this: with this many users, no call waits.
 */
export const CALLERS = 1000;

/** The path of every gateway's endpoint, and the tool that is called. */
export const GATEWAY_ENDPOINT = { path: MCP_PATH, toolName: TOOL_NAME };

/** A database whose users are connected to every service. */
interface SeededDatabase {
  readonly url: string;
  /** One per user, as in `RunningSubject.credentials`. */
  readonly credentials: RunningSubject['credentials'];
  remove(): Promise<void>;
}

/** Creates a database: a SQLite file in the folder, or a database on the PostgreSQL server. */
export async function createDatabase({
  folder,
  users,
  postgresUrl,
}: Pick<Surroundings, 'folder' | 'users' | 'postgresUrl'>): Promise<SeededDatabase> {
  const { url, remove } =
    postgresUrl === null ? createSqliteDatabase(folder) : await createPostgresDatabase(postgresUrl);
  const tokens = await seedUsers(url, users);
  const { host } = new URL(PUBLIC_URL);
  return {
    url,
    credentials: tokens.map((token) => ({ host, authorization: `Bearer ${token}` })),
    remove,
  };
}

/** Starts one process on a database: the program of `npm start`, or one of ours that serves more tools. */
export function startGatewayProcess(
  databaseUrl: string,
  { upstream, tools }: Pick<Surroundings, 'upstream' | 'tools'>,
): Promise<ServerProcess> {
  const program = tools === SHIPPED_TOOLS ? 'server/main.ts' : 'scripts/lab/bench/servers/wide-gateway.ts';
  return startServer({
    file: 'scripts/node.mjs',
    args: [program],
    env: { ...toSettings(databaseUrl, upstream), BENCH_TOOLS: String(tools) },
  });
}

/** The settings that differ from the gateway's own defaults. */
function toSettings(databaseUrl: string, upstream: string): Record<string, string> {
  return {
    PUBLIC_URL,
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEYS,
    TOOL_CALLS_PER_MINUTE: '1000000',
    MAILER_BASE_URL: upstream,
  };
}

/** Starts a gateway on its own database, which is removed when it stops. */
export async function startGateway(surroundings: Surroundings): Promise<RunningSubject> {
  const { url, credentials, remove } = await createDatabase(surroundings);
  const server = await startGatewayProcess(url, surroundings);
  return {
    ...server,
    ...GATEWAY_ENDPOINT,
    credentials,
    async stop() {
      await server.stop();
      await remove();
    },
  };
}

/** Encrypts the stored credentials: `ENCRYPTION_KEYS` of every measured gateway. */
const ENCRYPTION_KEYS = `bench:${hash('sha256', 'key of the benchmarks', 'base64')}`;

/** Adds users who are connected to every service to a database, and returns one access token per user. */
async function seedUsers(databaseUrl: string, count: number): Promise<string[]> {
  const connectors = await loadConnectors();
  const env = { PUBLIC_URL, DATABASE_URL: databaseUrl, ENCRYPTION_KEYS };
  const config = loadConfig({ connectors, env });
  const store = await openStore({ url: config.databaseUrl });
  const keys = config.encryptionKeys ?? [];
  await joinStoreKey(store.db, keys);
  const tokens: string[] = [];
  try {
    const vault = await openVault(store.db, keys);
    for (let index = 1; index <= count; index += 1) {
      const { token } = await seedUser({
        store,
        vault,
        partner: 'bench',
        user: `user-${index}`,
        connectors,
        secretOf: () => CREDENTIAL,
        resource: config.publicUrl + MCP_PATH,
        now: Date.now(),
      });
      tokens.push(token);
    }
  } finally {
    await store.close();
  }
  return tokens;
}

/** Names a file that does not exist yet; it is removed with its folder. */
function createSqliteDatabase(folder: string) {
  return { url: `sqlite:${path.join(folder, `${randomBytes(4).toString('hex')}.sqlite`)}`, remove: async () => {} };
}
