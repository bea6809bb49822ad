/** The compared servers: what each is, and how it is started for one workload. */

import { hash, randomBytes } from 'node:crypto';
import path from 'node:path';
import { request } from 'undici';
import { startStoreKey } from '../../../server/base/credentials/store-key.ts';
import { openStore } from '../../../server/base/store/index.ts';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import { MCP_PATH } from '../../../server/gateway-paths.ts';
import { loadConfig } from '../../../server/index.ts';
import { createPostgresDatabase } from '../../../test/support/postgres-database.ts';
import { seedUser } from '../../demo/seed.ts';
import { CREDENTIAL } from './call.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** A revision of MCP. */
export type Revision = '2025-11-25' | '2026-07-28';

/** The surroundings that every server of one workload is started in. */
export interface Surroundings {
  /** Origin of the upstream. */
  readonly upstream: string;
  /** Number of tools that it serves: 68 or more. */
  readonly tools: number;
  /** For files. */
  readonly folder: string;
  /** Users who call in turn. */
  readonly users: number;
  /** A server on which the gateway may create databases. Undefined on SQLite. */
  readonly postgresUrl: string | undefined;
}

/** A server that listens. */
export interface RunningSubject extends ServerProcess {
  readonly path: string;
  /** Headers of its users or sessions, including `Host`. */
  readonly credentials: readonly Readonly<Record<string, string>>[];
}

export interface Subject {
  /** For `--only`. */
  readonly name: string;
  readonly title: string;
  readonly revisions: readonly Revision[];
  /** Default: false. */
  readonly needsPostgres?: true;
  start(surroundings: Surroundings): Promise<RunningSubject>;
}

/** The baseline; it takes part in every run. */
export const BARE = 'bare';
/** The number of tools that the gateway ships with. */
export const SHIPPED_TOOLS = 68;
/**
 * Users who call a gateway in turn. The service of the called tool allows ten requests a second per user, and a gateway delays calls that exceed
 * this: with this many users, no call waits.
 */
const CALLERS = 1000;
/** The URL that clients use for every gateway, whichever port it listens on. */
const PUBLIC_URL = 'http://127.0.0.1:3000';
const ENCRYPTION_KEYS = `bench:${hash('sha256', 'key of the benchmarks', 'base64')}`;

/** In the order of the tables. */
export const SUBJECTS: readonly Subject[] = [
  {
    name: BARE,
    title: 'bare node:http',
    revisions: ['2025-11-25', '2026-07-28'],
    start: (surroundings) => startPlainServer('bare.ts', surroundings),
  },
  {
    name: 'sdk-v1-stateful',
    title: 'v1 SDK, sessions',
    revisions: ['2025-11-25'],
    async start(surroundings) {
      const server = await startPlainServer('sdk-v1.ts', surroundings);
      return { ...server, credentials: await openSessions(server, surroundings.users) };
    },
  },
  {
    name: 'sdk-v2',
    title: 'v2 SDK',
    revisions: ['2025-11-25', '2026-07-28'],
    start: (surroundings) => startPlainServer('sdk-v2.ts', surroundings),
  },
  {
    name: 'gateway-sqlite',
    title: 'this gateway, SQLite',
    revisions: ['2025-11-25', '2026-07-28'],
    start: (surroundings) => startGateway({ ...surroundings, users: CALLERS, postgresUrl: undefined }),
  },
  {
    name: 'gateway-workers',
    title: 'this gateway, SQLite, 2 workers',
    revisions: ['2025-11-25', '2026-07-28'],
    start: (surroundings) => startGateway({ ...surroundings, users: CALLERS, postgresUrl: undefined, workers: 2 }),
  },
  {
    name: 'gateway-postgres',
    title: 'this gateway, PostgreSQL',
    revisions: ['2025-11-25', '2026-07-28'],
    needsPostgres: true,
    start: (surroundings) => startGateway({ ...surroundings, users: CALLERS }),
  },
];

/** The result of `tools/list` that the servers that are no gateway answer with. */
export function toolListFile(folder: string): string {
  return path.join(folder, 'tools.json');
}

async function startPlainServer(file: string, { upstream, folder }: Surroundings): Promise<RunningSubject> {
  const server = await startServer([`scripts/lab/bench/servers/${file}`], {
    BENCH_UPSTREAM: upstream,
    BENCH_LIST_FILE: toolListFile(folder),
  });
  return { ...server, path: '/', credentials: [{ host: new URL(server.origin).host }] };
}

/** Opens sessions as clients of the 2025 revisions do. @returns the headers of later requests. */
async function openSessions({ origin, path: target, credentials }: RunningSubject, count: number) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const sessions: Record<string, string>[] = [];
  while (sessions.length < count) {
    const { headers, body } = await request(origin + target, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    });
    await body.text();
    sessions.push({ ...credentials[0], 'mcp-session-id': String(headers['mcp-session-id']) });
  }
  return sessions;
}

/** Starts a gateway as an operator does, or a gateway with more tools. Its database is new, and is removed when the gateway stops. */
export async function startGateway(
  surroundings: Surroundings & { readonly workers?: number },
): Promise<RunningSubject> {
  const { folder, postgresUrl, tools, upstream, users, workers = 1 } = surroundings;
  const sqliteUrl = `sqlite:${path.join(folder, `${randomBytes(4).toString('hex')}.sqlite`)}`;
  const database = postgresUrl === undefined ? undefined : await createPostgresDatabase(postgresUrl);
  const settings = { PUBLIC_URL, DATABASE_URL: database?.url ?? sqliteUrl, ENCRYPTION_KEYS };
  const tokens = await seedUsers(settings, users);
  const program = tools === SHIPPED_TOOLS ? 'server/main.ts' : 'scripts/lab/bench/servers/wide-gateway.ts';
  const server = await startServer(['scripts/node.mjs', program], {
    ...settings,
    TOOL_CALLS_PER_MINUTE: '1000000',
    MAILER_BASE_URL: upstream,
    BENCH_TOOLS: String(tools),
    WORKERS: String(workers),
  });
  const { host } = new URL(PUBLIC_URL);
  return {
    ...server,
    path: MCP_PATH,
    credentials: tokens.map((token) => ({ host, authorization: `Bearer ${token}` })),
    async stop() {
      await server.stop();
      await database?.remove();
    },
  };
}

/** Adds users who are connected to every service to a database, and returns one access token per user. */
async function seedUsers(env: Readonly<Record<string, string>>, count: number): Promise<string[]> {
  const connectors = await loadConnectors();
  const { databaseUrl, encryptionKeys, publicUrl } = loadConfig({ connectors, env });
  const keys = encryptionKeys ?? [];
  const store = await openStore({ url: databaseUrl });
  try {
    // Without its key, the first start would seal everything again while the first requests are measured.
    const { vault } = await startStoreKey(store.db, keys, []);
    const tokens: string[] = [];
    while (tokens.length < count) {
      const { token } = await seedUser({
        store,
        vault,
        partner: 'bench',
        user: `user-${tokens.length + 1}`,
        connectors,
        secretOf: () => CREDENTIAL,
        resource: publicUrl + MCP_PATH,
        now: Date.now(),
      });
      tokens.push(token);
    }
    return tokens;
  } finally {
    await store.close();
  }
}
