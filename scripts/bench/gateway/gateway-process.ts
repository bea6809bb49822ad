/** Starts a gateway as an operator does, over a database of its own with users who are connected to every service. */

import path from 'node:path';
import { TOOL_NAME } from './call.ts';
import { createPostgresDatabase, createSqliteDatabase } from './databases.ts';
import { ENCRYPTION_KEYS, MCP_PATH, seedUsers } from './gateway-internals.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import type { RunningSubject, Surroundings } from './surroundings.ts';

/** What clients know every gateway by, whichever port it listens on. */
const PUBLIC_URL = 'http://127.0.0.1:3000';

/** What the gateway ships with. */
export const SHIPPED_TOOLS = 64;

/**
 * Users who call in turn. The service of the called tool takes ten requests a second from each of them, and a gateway holds calls
 * back that come faster: with so many, none waits.
 */
export const CALLERS = 1000;

/** Where every gateway answers, and the tool that is called. */
export const GATEWAY_ENDPOINT = { path: MCP_PATH, toolName: TOOL_NAME };

/** A database with users who are connected to every service. */
export interface SeededDatabase {
  readonly url: string;
  /** Of each user, as `RunningSubject.credentials`. */
  readonly credentials: readonly string[];
  remove(): Promise<void>;
}

/** Makes a database: a SQLite file in the folder, or a database on the PostgreSQL server. */
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

/** Starts one process over a database: `npm start`'s program, or one of ours that serves more tools. */
export function startGatewayProcess(
  databaseUrl: string,
  { upstream, tools, profileFile }: Pick<Surroundings, 'upstream' | 'tools' | 'profileFile'>,
  settings: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const program = tools === SHIPPED_TOOLS ? 'server/main.ts' : 'scripts/bench/gateway/servers/wide-gateway.ts';
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

/** Starts a gateway over a database of its own, which goes when it stops. @param settings besides those of every gateway. */
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
