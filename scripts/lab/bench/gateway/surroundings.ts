/** What a measured server is started with, and what is known of it once it listens. */

import type { ServerProcess } from './server-process.ts';

/** A revision of MCP. */
export type Revision = '2025-11-25' | '2026-07-28';

/** What every server of one workload is started with. */
export interface Surroundings {
  /** Origin of the upstream. */
  readonly upstream: string;
  /** Number of tools that it serves: 64 or more. */
  readonly tools: number;
  /** JSON file with the result of `tools/list` for the same number of tools. */
  readonly listFile: string;
  /** The server's own folder for files. */
  readonly folder: string;
  /** Users who call in turn. */
  readonly users: number;
  /** A server on which the gateway may create databases; null: none. */
  readonly postgresUrl: string | null;
  /** Where the gateway writes its CPU profile when it stops; null: it writes none. */
  readonly profileFile: string | null;
}

/** A server that listens. */
export interface RunningSubject extends ServerProcess {
  readonly path: string;
  /** Name of the called tool. */
  readonly toolName: string;
  /** Header lines of its users or sessions, each with `\r\n`, including `Host`. */
  readonly credentials: readonly string[];
}
