/** Runs a program as a separate process and reports its total cost, from start to end. */

import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export interface Cost {
  /** Seconds by the clock. */
  readonly wall: number;
  /** CPU seconds of all threads, user and system. */
  readonly cpu: number;
  /** Peak memory in megabytes. */
  readonly memory: number;
}

const USAGE = path.join(import.meta.dirname, 'usage.cjs');

/**
 * @param argv a JavaScript or TypeScript file and its arguments, run by the current Node binary.
 * @param folder a folder for temporary files, which is also the program's working directory.
 * @throws {Error} with the end of the program's output if its exit code is not 0.
 */
export async function runWholeProcess(argv: readonly string[], folder: string): Promise<Cost> {
  const usageFile = path.join(folder, 'usage.json');
  const started = performance.now();
  const child = spawn(process.execPath, ['--require', USAGE, ...argv], {
    cwd: folder,
    env: { ...process.env, BENCH_USAGE_FILE: usageFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-2000);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const wall = (performance.now() - started) / 1000;
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with exit code ${code}:\n${printed}`);
  const usage = JSON.parse(await readFile(usageFile, 'utf8')) as NodeJS.ResourceUsage;
  return { wall, cpu: (usage.userCPUTime + usage.systemCPUTime) / 1e6, memory: (usage.maxRSS * 1024) / 1e6 };
}
