/** Starts a server as a separate process, and asks it for the resources that it has used. */

import { fork } from 'node:child_process';
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
  /** Bytes that JavaScript of the main thread has allocated. NaN if this version of Node does not count them. */
  readonly allocatedBytes: number;
  /** Delays of the event loop since the last question, in milliseconds: the longest, and that which one of 1,000 exceeds. */
  readonly loopMax: number;
  readonly loopP999: number;
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

const ROOT = path.resolve(import.meta.dirname, '../../..');
const START_TIMEOUT_MS = 300_000;
const STOP_TIMEOUT_MS = 5_000;

/**
 * Starts a JavaScript or TypeScript file with `PORT` set to a free port, and waits until it listens there.
 *
 * @throws {Error} if it exits or does not listen within five minutes.
 */
export async function startServer(
  [file = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = fork(path.resolve(ROOT, file), args, {
    cwd: ROOT,
    env: { ...process.env, NODE_OPTIONS: '', PORT: String(port), ...env },
    execArgv: ['--require', path.join(import.meta.dirname, 'control.cjs')],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(late);
  };
  const endsAt = Date.now() + START_TIMEOUT_MS;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || Date.now() > endsAt) {
      await stop();
      throw new Error(`${file} did not listen.`);
    }
    await delay(5);
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    startedAt,
    async usage() {
      if (!child.connected) throw new Error(`${file} has ended`);
      child.send('usage');
      const [usage] = (await once(child, 'message')) as [Usage];
      return usage;
    },
    stop,
  };
}

/** Returns true if a program listens on a port of this machine. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
