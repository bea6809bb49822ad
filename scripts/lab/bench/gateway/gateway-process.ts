/** Starts a gateway as an operator does, on its own database with users who are connected to every service. */

import path from 'node:path';
import { TOOL_NAME } from './call.ts';
import { createPostgresDatabase, createSqliteDatabase } from './databases.ts';
import { ENCRYPTION_KEYS, MCP_PATH, seedUsers } from './gateway-internals.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import type { RunningSubject, Surroundings } from './surroundings.ts';

/** The URL that clients use for every gateway, whichever port it listens on. */
const PUBLIC_URL = 'http://127.0.0.1:3000';

/** The number of tools that the gateway ships with. */
export const SHIPPED_TOOLS = 64;

/**
 * Users who call in turn. The service of the called tool allows ten requests a second per user, and a gateway delays calls that exceed
 * this: with this many users, no call waits.
 */
export const CALLERS = 1000;

/** The path of every gateway's endpoint, and the tool that is called. */
export const GATEWAY_ENDPOINT = { path: MCP_PATH, toolName: TOOL_NAME };

/** A database whose users are connected to every service. */
export interface SeededDatabase {
  readonly url: string;
  /** One per user, as in `RunningSubject.credentials`. */
  readonly credentials: readonly string[];
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
  const tokens = await seedUsers({ databaseUrl: url, publicUrl: PUBLIC_URL, count: users });
  const { host } = new URL(PUBLIC_URL);
  return {
    url,
    credentials: tokens.map((token) => `host: ${host}\r\nauthorization: Bearer ${token}\r\n`),
    remove,
  };
}

/** Starts one process on a database: the program of `npm start`, or one of ours that serves more tools. */
export function startGatewayProcess(
  databaseUrl: string,
  { upstream, tools, profileFile }: Pick<Surroundings, 'upstream' | 'tools' | 'profileFile'>,
  settings: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const program = tools === SHIPPED_TOOLS ? 'server/main.ts' : 'scripts/lab/bench/gateway/servers/wide-gateway.ts';
  const profile = profileFile === null ? null : path.parse(profileFile);
  return startServer({
    file: 'scripts/node.mjs',
    args: [program],
    env: { ...toSettings(databaseUrl, upstream), BENCH_TOOLS: String(tools), ...settings },
    nodeOptions:
      profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile.dir}`, `--cpu-prof-name=${profile.base}`],
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

/**
 * Starts a gateway on its own database, which is removed when it stops. @param settings in addition to the common ones.
 */
export async function startGateway(
  surroundings: Surroundings,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningSubject> {
  const { url, credentials, remove } = await createDatabase(surroundings);
  const server = await startGatewayProcess(url, surroundings, settings);
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
