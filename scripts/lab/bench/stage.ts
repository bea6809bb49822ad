/**
 * The environment of every measurement: an upstream, a load generator and a folder for files, all removed at the end.
 */

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
  /** Stops something before the stage is removed; the last registered stops first. */
  atEnd(stop: () => Promise<void>): void;
}

/** SIGINT or SIGTERM arrived: everything that was started has been stopped and removed. */
export class InterruptedError extends Error {}

/**
 * Runs the work on a new stage.
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
    const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
    atEnd(() => rm(folder, { recursive: true, force: true }));
    const upstream = await startServer({ file: 'scripts/lab/bench/servers/upstream.ts' });
    atEnd(() => upstream.stop());
    const load = startLoad();
    atEnd(() => load.stop());
    return await Promise.race([work({ upstream: upstream.origin, load, folder, atEnd }), interrupted]);
  } finally {
    for (let stop = endings.pop(); stop !== undefined; stop = endings.pop()) await stop();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}
