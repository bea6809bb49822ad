/** A Redis server of its own for a test, which keeps nothing on disk. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../cli/free-port.ts';
import { findProgram, skipBecause } from './fuller-checks.ts';

export interface RedisServer {
  /** With the number of a database. */
  readonly url: string;
  /** Ends it at once; what it holds is gone. */
  stop(): Promise<void>;
  /** Starts it again, empty, at the same port. */
  start(): Promise<void>;
}

/** The program, or null. Prints why tests that need it are skipped. @throws {Error} where nothing may be skipped. */
export function findRedis(): string | null {
  const program = findProgram('redis-server');
  if (program === null) skipBecause('redis-server is not installed (.ci/run installs it)');
  return program;
}

/** Starts one on a free port. @param program path of `redis-server`. */
export async function startRedis(program: string): Promise<RedisServer> {
  const port = await freePort();
  let running: ChildProcess | null = null;
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}/1`,
    async start() {
      const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
      const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'inherit'] });
      running = child;
      await new Promise<void>((resolve, reject) => {
        child.once('exit', () => reject(new Error('redis-server ended')));
        child.stdout.on('data', (chunk) => String(chunk).includes('Ready to accept connections') && resolve());
      });
    },
    async stop() {
      const child = running;
      running = null;
      if (child === null || child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
  await server.start();
  return server;
}
