/** Finds free ports. */

import { createServer } from 'node:net';

const TRIED = 20;

/** The first free port from `port` on, among the next few; else any. Null: there is none at `host`. */
export async function findFreePort(port: number, host: string): Promise<number | null> {
  for (let next = port; next < port + TRIED && next <= 65_535; next += 1) {
    if ((await listenOnce(next, host)) !== null) return next;
  }
  return listenOnce(0, host);
}

/** Any free port on the loopback address. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0, '127.0.0.1');
  if (port === null) throw new Error('this machine has no free port');
  return port;
}

/** Listens on the port and closes again. Null: the port is taken, or needs more privileges. */
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
