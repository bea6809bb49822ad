/** Chooses the ports of the demo. */

import { createServer } from 'node:net';

export interface ChosenPort {
  readonly port: number;
  /** True: the preferred port was taken. */
  readonly moved: boolean;
}

/**
 * The port that was asked for; else the preferred one, or any free one where that is taken.
 *
 * @throws {Error} where the port that was asked for is taken.
 */
export async function choosePort(asked: number | null, preferred: number, option: string): Promise<ChosenPort> {
  if (await isFree(asked ?? preferred)) return { port: asked ?? preferred, moved: false };
  if (asked !== null) {
    throw new Error(`Port ${asked} is taken. Stop what uses it, or choose another: ${option} ${asked + 1}`);
  }
  return { port: await findFreePort(), moved: true };
}

async function isFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== null;
}

async function findFreePort(): Promise<number> {
  const port = await listenOnce(0);
  if (port === null) throw new Error('This machine has no free port on 127.0.0.1.');
  return port;
}

/** Listens and closes again. Null: the port is taken. */
function listenOnce(port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}
