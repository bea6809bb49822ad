/** The servers that are compared: what each is, and how it is started for one workload. */

import { startGateway } from './gateway-process.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** A revision of MCP. */
export type Revision = '2025-11-25' | '2026-07-28';

/** What every server of one workload is started with. */
export interface Surroundings {
  /** Origin of the upstream. */
  readonly upstream: string;
  /** How many tools it serves: 64, or more. */
  readonly tools: number;
  /** JSON file with the result of `tools/list`, of as many tools. */
  readonly listFile: string;
  /** For files, its own. */
  readonly folder: string;
  /** Users who take turns. */
  readonly users: number;
  /** A server that the gateway may have databases of its own on; null: there is none. */
  readonly postgresUrl: string | null;
  /** Where the gateway leaves its CPU profile when it stops; null: it makes none. */
  readonly profileFolder: string | null;
}

/** A server that listens. */
export interface RunningSubject extends ServerProcess {
  readonly path: string;
  /** Header lines of its users or sessions, each with `\r\n`; `Host` among them. */
  readonly credentials: readonly string[];
}

export interface Subject {
  /** For `--only`. */
  readonly name: string;
  readonly title: string;
  /** What it does with a call beside making it, for the table. */
  readonly checks: string;
  readonly revisions: readonly Revision[];
  /** Why it cannot be measured here; null where it can. */
  whyMissing(surroundings: Pick<Surroundings, 'postgresUrl'>): string | null;
  start(surroundings: Surroundings): Promise<RunningSubject>;
}

/** The reference; it takes part in every run. */
export const BARE = 'bare';

const BOTH: readonly Revision[] = ['2025-11-25', '2026-07-28'];

/** In the order of the tables. */
export const SUBJECTS: readonly Subject[] = [
  {
    name: BARE,
    title: 'bare node:http',
    checks: 'nothing',
    revisions: BOTH,
    whyMissing: () => null,
    start: (surroundings) => startOwnServer('bare.ts', surroundings),
  },
  {
    name: 'gateway-sqlite',
    title: 'this gateway, SQLite',
    checks: 'all',
    revisions: BOTH,
    whyMissing: () => null,
    start: (surroundings) => startGateway({ ...surroundings, postgresUrl: null }),
  },
  {
    name: 'gateway-postgres',
    title: 'this gateway, PostgreSQL',
    checks: 'all',
    revisions: BOTH,
    whyMissing: ({ postgresUrl }) =>
      postgresUrl === null ? 'there is no PostgreSQL server (--postgres-url, or TEST_DATABASE_URL)' : null,
    start: startGateway,
  },
];

async function startOwnServer(file: string, { upstream, listFile }: Surroundings): Promise<RunningSubject> {
  const server = await startServer({
    file: `scripts/bench/gateway/servers/${file}`,
    env: { BENCH_UPSTREAM: upstream, BENCH_LIST_FILE: listFile },
  });
  return { ...server, path: '/', credentials: [`host: ${new URL(server.origin).host}\r\n`] };
}
