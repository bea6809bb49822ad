/** Counts the machine instructions of a call and of a list, in a gateway that valgrind runs. */

import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { SHIPPED_TOOLS, startGateway } from '../bench/gateway/gateway-process.ts';
import type { Stage } from '../bench/gateway/stage.ts';
import { toTarget } from '../bench/gateway/workloads.ts';
import type { Counts } from './count.ts';

/** Together they send less than the rate that the called service allows to each. */
const USERS = 50;
const WARM_UP = 200;
const REQUESTS = 200;
const BATCHES = 3;
const ORDER_TIMEOUT_MS = 120_000;
/** Leaves out what depends on time, and all garbage collection: `bytes` counts what causes it. */
const NODE_FLAGS = [
  ...['--no-opt', '--no-maglev', '--single-threaded', '--no-memory-reducer', '--no-incremental-marking'],
  ...['--min-semi-space-size=256', '--max-semi-space-size=256'],
];
const TIMERS = path.join(import.meta.dirname, 'slow-timers.cjs');
/** Counts by thread, and only when asked to: until then, the program runs five times as fast. */
const VALGRIND = ['--tool=callgrind', '--smc-check=all-non-file', '--instr-atstart=no', '--separate-threads=yes'];

/** Why instructions cannot be counted here, to follow "because"; null: they can. */
export function whyNotCounted(): string | null {
  if (process.arch !== 'x64') return `their pins are those of x64, and this is ${process.arch}`;
  const { status } = spawnSync('valgrind', ['--version']);
  return status === 0 ? null : 'there is no valgrind (on Debian: apt-get install valgrind)';
}

/**
 * Of the main thread, on SQLite. Each count is that of the batch with the fewest: others contain what happens once, such as compiling a function.
 *
 * @throws {Error} if valgrind cannot run this Node, or does not answer.
 */
export async function countInstructions({ upstream, load, folder, atEnd }: Stage): Promise<Counts> {
  const file = path.join(folder, 'instructions');
  const gateway = await startGateway(
    { upstream, folder, users: USERS, tools: SHIPPED_TOOLS, postgresUrl: null, profileFile: null, listFile: '' },
    {},
    ['valgrind', ...VALGRIND, `--callgrind-out-file=${file}`, process.execPath, ...NODE_FLAGS, '--require', TIMERS],
  );
  atEnd(() => gateway.stop());
  const tell = (...command: string[]) =>
    promisify(execFile)('vgdb', [`--pid=${gateway.pid}`, ...command], { timeout: ORDER_TIMEOUT_MS });
  let dumps = 0;
  const countBatch = async (): Promise<number> => {
    await load.run({ requests: REQUESTS });
    await tell('dump');
    dumps += 1;
    const [, total] = /^totals: (\d+)$/m.exec(await readFile(`${file}.${dumps}-01`, 'utf8')) ?? [];
    if (total === undefined) throw new Error('valgrind wrote no total');
    return Math.round(Number(total) / REQUESTS);
  };
  const counts: Record<string, Counts[string]> = {};
  for (const method of ['tools/list', 'tools/call'] as const) {
    await load.open(toTarget({ method, revision: '2025-11-25' }, gateway, 1));
    await load.run({ requests: WARM_UP });
    await tell('instrumentation', 'on');
    const batches: number[] = [];
    while (batches.length < BATCHES) batches.push(await countBatch());
    await tell('instrumentation', 'off');
    await load.close();
    counts[`${method} on SQLite`] = { instructions: { count: Math.min(...batches), parts: [batches.join(' ')] } };
  }
  return counts;
}
