/** What every measurement stands on: an upstream, a load generator and a folder for files, which go at its end. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Load, startLoad } from './load-process.ts';
import { startServer } from './server-process.ts';

export interface Stage {
  /** Origin of the upstream. */
  readonly upstream: string;
  readonly load: Load;
  readonly folder: string;
  /** Has something stopped before the stage goes; what came last stops first. */
  atEnd(stop: () => Promise<void>): void;
}

/** Someone pressed Ctrl-C, or ended the process: what was started has been stopped and removed. */
export class InterruptedError extends Error {}

/**
 * Runs the work on a stage of its own.
 *
 * @throws {InterruptedError} after SIGINT or SIGTERM.
 */
export async function onStage<Result>(work: (stage: Stage) => Promise<Result>): Promise<Result> {
  const endings: (() => Promise<void>)[] = [];
  const atEnd = (stop: () => Promise<void>): void => void endings.push(stop);
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  interrupted.catch(() => {});
  const interrupt = (): void => reject(new InterruptedError());
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const folder = await mkdtemp(path.join(tmpdir(), 'bench-gateway-'));
    atEnd(() => rm(folder, { recursive: true, force: true }));
    const upstream = await startServer({ file: 'scripts/bench/gateway/servers/upstream.ts' });
    atEnd(() => upstream.stop());
    const load = startLoad();
    atEnd(() => load.stop());
    return await Promise.race([work({ upstream: upstream.origin, load, folder, atEnd }), interrupted]);
  } finally {
    for (let stop = endings.pop(); stop !== undefined; stop = endings.pop()) await stop();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}
