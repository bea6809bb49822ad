/** The compared servers: what each is, and how it is started for one workload. */

import { request } from 'undici';
import { TOOL_NAME } from './call.ts';
import { CALLERS, startGateway } from './gateway-process.ts';
import { type Revision, type RunningSubject, type Surroundings, startServer } from './server-process.ts';

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

const BOTH: readonly Revision[] = ['2025-11-25', '2026-07-28'];
const ONLY_2025: readonly Revision[] = ['2025-11-25'];

/** In the order of the tables. */
export const SUBJECTS: readonly Subject[] = [
  {
    name: BARE,
    title: 'bare node:http',
    revisions: BOTH,
    start: (surroundings) => startOwnServer('bare.ts', surroundings),
  },
  {
    name: 'sdk-v1-stateful',
    title: 'v1 SDK, sessions',
    revisions: ONLY_2025,
    start: async (surroundings) => openSessions(await startOwnServer('sdk-v1.ts', surroundings), surroundings.users),
  },
  {
    name: 'sdk-v2',
    title: 'v2 SDK',
    revisions: BOTH,
    start: (surroundings) => startOwnServer('sdk-v2.ts', surroundings),
  },
  {
    name: 'gateway-sqlite',
    title: 'this gateway, SQLite',
    revisions: BOTH,
    start: (surroundings) => startGateway({ ...surroundings, users: CALLERS, postgresUrl: null }),
  },
  {
    name: 'gateway-postgres',
    title: 'this gateway, PostgreSQL',
    revisions: BOTH,
    needsPostgres: true,
    start: (surroundings) => startGateway({ ...surroundings, users: CALLERS }),
  },
];

async function startOwnServer(file: string, { upstream, listFile }: Surroundings): Promise<RunningSubject> {
  const server = await startServer({
    file: `scripts/lab/bench/servers/${file}`,
    env: { BENCH_UPSTREAM: upstream, BENCH_LIST_FILE: listFile },
  });
  return { ...server, path: '/', toolName: TOOL_NAME, credentials: [{ host: new URL(server.origin).host }] };
}

/** Opens sessions as clients of the 2025 revisions do, and adds their ids to the headers of later requests. */
async function openSessions(server: RunningSubject, count: number): Promise<RunningSubject> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const answer = await request(server.origin + server.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    });
    await answer.body.text();
    ids.push(String(answer.headers['mcp-session-id']));
  }
  return { ...server, credentials: ids.map((id) => ({ ...server.credentials[0], 'mcp-session-id': id })) };
}
