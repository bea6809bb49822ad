/** What a measured server is started with, and what it is once it listens. */

import type { ServerProcess } from './server-process.ts';

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
  readonly profileFile: string | null;
}

/** A server that listens. */
export interface RunningSubject extends ServerProcess {
  readonly path: string;
  /** Of the tool that is called. */
  readonly toolName: string;
  /** Header lines of its users or sessions, each with `\r\n`; `Host` among them. */
  readonly credentials: readonly string[];
}
