/** Finds free ports. */

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const TRIED = 20;
const PRIVATE_PORTS = { first: 15_000, end: 30_000 };

/** Returns the first free port from `port` on, among the next few, or else any. Null if there is none at `host`. */
export async function findFreePort(port: number, host: string): Promise<number | null> {
  for (let next = port; next < port + TRIED && next <= 65_535; next += 1) {
    if ((await listenOnce(next, host)) !== null) return next;
  }
  return listenOnce(0, host);
}

/**
 * Returns a free port on the loopback address, for a program that is about to start. It is below the ports that systems give to connections and to
 * programs that listen on port 0, so that they do not take it before the program does.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < TRIED; tried += 1) {
    const port = await listenOnce(randomInt(PRIVATE_PORTS.first, PRIVATE_PORTS.end), '127.0.0.1');
    if (port !== null) return port;
  }
  throw new Error('this machine has no free port');
}

/** Listens on the port and closes again. Returns null if the port is taken, or needs more privileges. */
export function listenOnce(port: number, host: string): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}
