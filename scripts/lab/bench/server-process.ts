/** Starts a server as a separate process, and asks it for the resources that it has used. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../shared/cli/free-port.ts';

/** The resources that a process has used since it started. */
interface Usage {
  /** CPU time of all its threads, user and system. */
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
  /** How late the event loop was at most since the last question, in milliseconds. */
  readonly loopMax: number;
}

export interface ServerProcess {
  /** The server's address, such as `http://127.0.0.1:4711`. */
  readonly origin: string;
  /** `performance.now()` when it was started. */
  readonly startedAt: number;
  usage(): Promise<Usage>;
  /** Asks the process to exit, and waits until it has. */
  stop(): Promise<void>;
}

interface ServerProgram {
  /** A JavaScript or TypeScript file, run by the current Node binary. */
  readonly file: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A revision of MCP. */
export type Revision = '2025-11-25' | '2026-07-28';

/** What every server of one workload is started with. */
export interface Surroundings {
  /** Origin of the upstream. */
  readonly upstream: string;
  /** Number of tools that it serves: 68 or more. */
  readonly tools: number;
  /** JSON file with the result of `tools/list` for the same number of tools. */
  readonly listFile: string;
  /** The server's own folder for files. */
  readonly folder: string;
  /** Users who call in turn. */
  readonly users: number;
  /** A server on which the gateway may create databases; null: none. */
  readonly postgresUrl: string | null;
}

/** A server that listens. */
export interface RunningSubject extends ServerProcess {
  readonly path: string;
  /** Name of the called tool. */
  readonly toolName: string;
  /** Headers of its users or sessions, including `Host`. */
  readonly credentials: readonly Readonly<Record<string, string>>[];
}

const ROOT = path.resolve(import.meta.dirname, '../../..');
const CONTROL = path.join(import.meta.dirname, 'control.cjs');
const START_TIMEOUT_MS = 300_000;
const STOP_TIMEOUT_MS = 5_000;
const POLL_MS = 5;

/**
 * Starts the program with `PORT` set to a free port, and waits until it listens there.
 *
 * @throws {Error} with its error output if it exits or does not listen within five minutes.
 */
export async function startServer({ file, args = [], env = {} }: ServerProgram): Promise<ServerProcess> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = fork(path.resolve(ROOT, file), args, {
    cwd: ROOT,
    env: { ...process.env, NODE_OPTIONS: '', PORT: String(port), ...env },
    execArgv: ['--require', CONTROL],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-2000);
  });
  const ended = once(child, 'close');
  if (!(await listens(port, child))) {
    child.kill('SIGKILL');
    await ended;
    throw new Error(`${file} did not listen:\n${errors}`);
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    startedAt,
    usage: () => askForUsage(child, file),
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(late);
    },
  };
}

async function askForUsage(child: ChildProcess, file: string): Promise<Usage> {
  if (!child.connected) throw new Error(`${file} has ended`);
  child.send('usage');
  const [usage] = (await once(child, 'message')) as [Usage];
  return usage;
}

async function listens(port: number, child: ChildProcess): Promise<boolean> {
  const endsAt = Date.now() + START_TIMEOUT_MS;
  while (child.exitCode === null && Date.now() < endsAt) {
    if (await accepts(port)) return true;
    await delay(POLL_MS);
  }
  return false;
}

/** True if something listens on the port. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
