/** One gateway, started as an operator starts it, that can be killed and started again on the same port. */

import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../../shared/cli/free-port.ts';
import { FailureError } from '../../../../shared/cli/run.ts';
import { accepts } from '../../bench/server-process.ts';
import { type Program, ROOT, startProgram } from './program.ts';

export interface GatewayNode {
  readonly port: number;
  /** Starts the node, and waits until it listens. @param env in addition to its own settings. */
  start(env?: Readonly<Record<string, string>>): Promise<void>;
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** True if it exited without being told to. */
  hasEndedByItself(): boolean;
}

const START_TIMEOUT_MS = 30_000;
const POLL_MS = 20;

/**
 * The gateway of this repository, or of the unpacked package in the folder that `PACKED` names.
 *
 * @param options.env the node's settings, without the port. The node is not started yet.
 */
export async function createNode(options: {
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
}): Promise<GatewayNode> {
  const { env, logFile } = options;
  const port = await freePort();
  const { PACKED } = process.env;
  const ofRepository = [path.join(ROOT, 'scripts/node.mjs'), 'server/main.ts'];
  const ofPackage = [path.resolve(ROOT, PACKED ?? '', 'bundle/utg.js'), 'start'];
  const command = [process.execPath, ...(PACKED === undefined ? ofRepository : ofPackage)];
  let program: Program | null = null;
  return {
    port,
    async start(more = {}) {
      const started = startProgram(command, { logFile, env: { ...env, PORT: String(port), ...more } });
      program = started;
      const endsAt = Date.now() + START_TIMEOUT_MS;
      while (!(await accepts(port))) {
        if (!started.isRunning() || Date.now() > endsAt)
          throw new FailureError(`A gateway does not start. Run with --keep, and see ${logFile}.`);
        await delay(POLL_MS);
      }
    },
    async stop(signal) {
      const running = program;
      program = null;
      if (running?.isRunning() === true) await running.end(signal);
    },
    hasEndedByItself: () => program !== null && !program.isRunning(),
  };
}
