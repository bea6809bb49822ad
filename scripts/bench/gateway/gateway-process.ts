/** Starts a gateway as an operator does, over a database of its own with users who are connected to every service. */

import path from 'node:path';
import { TOOL_NAME } from './call.ts';
import { createPostgresDatabase } from './databases.ts';
import { ENCRYPTION_KEYS, MCP_PATH, seedUsers } from './gateway-internals.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import type { RunningSubject, Surroundings } from './subjects.ts';

/** What clients know every gateway by, whichever port it listens on. */
export const PUBLIC_URL = 'http://127.0.0.1:3000';

/** What the gateway ships with. */
export const SHIPPED_TOOLS = 64;

export interface Database {
  readonly url: string;
  /** Access tokens, one for each user. */
  readonly tokens: readonly string[];
  remove(): Promise<void>;
}

/** Makes a database with users: a SQLite file in the folder, or a database on the PostgreSQL server. */
export async function createDatabase(
  options: Pick<Surroundings, 'folder' | 'users' | 'postgresUrl'>,
): Promise<Database> {
  const { url, remove } =
    options.postgresUrl === null
      ? { url: `sqlite:${path.join(options.folder, 'gateway.sqlite')}`, remove: async () => {} }
      : await createPostgresDatabase(options.postgresUrl);
  const tokens = await seedUsers({ databaseUrl: url, publicUrl: PUBLIC_URL, count: options.users });
  return { url, tokens, remove };
}

/** Starts one process over a database: `npm start`'s program, or one of ours that serves more tools. */
export function startGatewayProcess(
  databaseUrl: string,
  { upstream, tools, profileFolder }: Pick<Surroundings, 'upstream' | 'tools' | 'profileFolder'>,
): Promise<ServerProcess> {
  const isShipped = tools === SHIPPED_TOOLS;
  return startServer({
    file: isShipped ? 'server/main.ts' : 'scripts/bench/gateway/servers/wide-gateway.ts',
    env: { ...gatewaySettings(databaseUrl, upstream), BENCH_TOOLS: String(tools) },
    nodeOptions: profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`],
  });
}

/** The settings that differ from the gateway's own defaults. */
export function gatewaySettings(databaseUrl: string, upstream: string): Record<string, string> {
  return {
    PUBLIC_URL,
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEYS,
    TOOL_CALLS_PER_MINUTE: '1000000',
    MAILER_BASE_URL: upstream,
  };
}

/** Headers of one user. */
export function toCredentials(token: string): string {
  return `host: ${new URL(PUBLIC_URL).host}\r\nauthorization: Bearer ${token}\r\n`;
}

export async function startGateway(surroundings: Surroundings): Promise<RunningSubject> {
  const database = await createDatabase(surroundings);
  const server = await startGatewayProcess(database.url, surroundings);
  return {
    ...server,
    path: MCP_PATH,
    toolName: TOOL_NAME,
    credentials: database.tokens.map(toCredentials),
    async stop() {
      await server.stop();
      await database.remove();
    },
  };
}
