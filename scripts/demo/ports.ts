/** Selects the ports of the demo. */

import { findFreePort, listenOnce } from '../../shared/cli/free-port.ts';

export interface ChosenPort {
  readonly port: number;
  /** True: the preferred port was taken. */
  readonly moved: boolean;
}

const HOST = '127.0.0.1';

/**
 * The requested port; without one, the preferred port, or any free port if that is taken.
 *
 * @throws {Error} if the requested port is taken.
 */
export async function choosePort(asked: number | null, preferred: number, option: string): Promise<ChosenPort> {
  if ((await listenOnce(asked ?? preferred, HOST)) !== null) return { port: asked ?? preferred, moved: false };
  const free = await (asked === null ? listenOnce(0, HOST) : findFreePort(asked + 1, HOST));
  if (free === null) throw new Error(`This machine has no free port on ${HOST}.`);
  if (asked === null) return { port: free, moved: true };
  throw new Error(`Port ${asked} is taken. Stop what uses it, or choose another: ${option} ${free}`);
}
