/** Starts gateways as separate processes with one database, as behind a load balancer. */

import { freePort } from '../../shared/cli/free-port.ts';
import { keyBytes } from './keys.ts';
import { type RunningScript, runScript } from './run-script.ts';

export interface GatewayProcesses {
  /** The origin at which each listens. */
  readonly origins: readonly string[];
  readonly pids: readonly (number | undefined)[];
  /** The log of all processes so far. */
  log(): string;
  /** Kills one immediately, as a crash of its machine would. */
  kill(index: number): Promise<void>;
  /** Stops them gracefully. @returns their exit codes. */
  stop(): Promise<(number | null)[]>;
}

/** The address at which clients reach all gateways. */
export const SHARED_PUBLIC_URL = 'http://127.0.0.1:3000';

/** Starts `count` gateways with the same settings, each on a free port. */
export async function startGatewayProcesses(options: {
  count: number;
  databaseUrl: string;
  env?: Readonly<Record<string, string>>;
  /** Workers of each. Default: each is one process. */
  workers?: number;
  /** The script that each runs. Default: the gateway with the generated connectors. */
  script?: string;
  /** The project whose gateway it is. Default: this one. */
  root?: string;
}): Promise<GatewayProcesses> {
  const started: { origin: string; script: RunningScript }[] = [];
  const { workers = 1 } = options;
  const sharesFile = options.databaseUrl.startsWith('sqlite:') && options.root === undefined && workers === 1;
  const main = sharesFile ? 'test/support/sharing-main.ts' : 'server/main.ts';
  const listening = new RegExp(Array(workers).fill('"msg":"listening"').join('[\\s\\S]*'));
  const startOne = async (index: number, triesLeft: number): Promise<void> => {
    const port = await freePort();
    const env = {
      PUBLIC_URL: SHARED_PUBLIC_URL,
      PORT: String(port),
      DATABASE_URL: options.databaseUrl,
      ENCRYPTION_KEYS: `test:${keyBytes(1).toString('base64')}`,
      LOG_LEVEL: 'info',
      ...(workers === 1 ? {} : { WORKERS: String(workers) }),
      ...options.env,
    };
    const script = runScript(options.script ?? main, [], env, options.root);
    started[index] = { origin: `http://127.0.0.1:${port}`, script };
    try {
      await script.waitFor(listening);
    } catch (error) {
      // Another program took the port in between.
      if (triesLeft === 0 || !script.output().includes('EADDRINUSE')) throw error;
      await startOne(index, triesLeft - 1);
    }
  };
  await Promise.all(Array.from({ length: options.count }, (_, index) => startOne(index, 2)));
  return {
    origins: started.map(({ origin }) => origin),
    pids: started.map(({ script }) => script.process.pid),
    log: () => started.map(({ script }) => script.output()).join(''),
    kill: async (index) => void (await started[index]?.script.stop('SIGKILL')),
    stop: () => Promise.all(started.map(({ script }) => script.stop('SIGTERM'))),
  };
}
