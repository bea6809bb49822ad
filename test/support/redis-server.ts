/** Starts a separate Redis server for a test, without files on disk. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../shared/cli/free-port.ts';
import { findProgram, skipBecause } from './fuller-checks.ts';

export interface RedisServer {
  /** URL with a database number. */
  readonly url: string;
  /** Kills the server immediately; its data is lost. */
  stop(): Promise<void>;
  /** Starts the server again, empty, on the same port. */
  start(): Promise<void>;
}

/** The path of `redis-server`; if null, prints why tests are skipped. @throws {Error} if nothing may be skipped. */
export function findRedis(): string | null {
  const program = findProgram('redis-server');
  if (program === null) skipBecause('redis-server is not installed (.ci/run installs it)');
  return program;
}

/** Starts a server on a free port. @param program path of `redis-server`. */
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
