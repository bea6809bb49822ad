/** One gateway, started as an operator starts it, that can be killed and started again on the same port. */

import path from 'node:path';
import { freePort } from '../../../../shared/cli/free-port.ts';
import { FailureError } from '../../../../shared/cli/run.ts';
import { waitFor } from './postgres.ts';
import { type Program, ROOT, startProgram } from './programs.ts';

export interface GatewayNode {
  readonly port: number;
  /** Starts the node, and waits until it listens. @param env in addition to its settings. Default: none. */
  start(env?: Readonly<Record<string, string>>): Promise<void>;
  /** Does nothing if the node is not running. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Returns true if it exited without being told to. */
  hasCrashed(): boolean;
}

/**
 * Creates a node that is not started yet: the gateway of this repository, or of the unpacked package in the folder that `PACKED` names.
 *
 * @param settings the node's settings, without the port.
 */
export async function createNode(settings: Readonly<Record<string, string>>, logFile: string): Promise<GatewayNode> {
  const port = await freePort();
  const { PACKED } = process.env;
  const program =
    PACKED === undefined
      ? [path.join(ROOT, 'scripts/node.mjs'), 'server/main.ts']
      : [path.resolve(ROOT, PACKED, 'bundle/utg.js'), 'start'];
  let current: Program | undefined;
  return {
    port,
    async start(env = {}) {
      const started = startProgram([process.execPath, ...program], {
        logFile,
        env: { ...settings, PORT: String(port), ...env },
      });
      current = started;
      const isUp = await waitFor(() => fetch(`http://127.0.0.1:${port}/healthz`), started.isRunning);
      if (!isUp) throw new FailureError(`A gateway does not start. Run with --keep, and see ${logFile}.`);
    },
    async stop(signal) {
      const stopped = current;
      current = undefined;
      if (stopped?.isRunning()) await stopped.end(signal);
    },
    hasCrashed: () => current?.isRunning() === false,
  };
}
