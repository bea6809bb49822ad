/**
 * The environment of every measurement: an upstream, a load generator and a folder for files, all removed at the end.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
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
    const folder = await mkdtemp(path.join(tmpdir(), 'bench-gateway-'));
    atEnd(() => rm(folder, { recursive: true, force: true }));
    const upstream = await startServer({ file: 'scripts/lab/bench/gateway/servers/upstream.ts' });
    atEnd(() => upstream.stop());
    const load = startLoad();
    atEnd(() => load.stop());
    return await Promise.race([work({ upstream: upstream.origin, load, folder, atEnd }), interrupted]);
  } finally {
    for (let stop = endings.pop(); stop !== undefined; stop = endings.pop()) await stop();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** Runs a program of the benchmark as a process of its own. @returns its one message, the answer to its orders. */
export async function runChild<Answer>(file: string, orders: object): Promise<Answer> {
  const child = fork(path.join(import.meta.dirname, '..', file), { env: { ...process.env, NODE_OPTIONS: '' } });
  child.send(orders);
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${file} ended without an answer`)));
  ended.catch(() => {});
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as [Answer];
  return answer;
}
