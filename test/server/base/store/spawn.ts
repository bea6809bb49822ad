/** Starts the other process of the store's tests. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('./process.ts', import.meta.url));

/** Runs a task of `process.ts`. @returns the number that it printed. */
export async function runElsewhere(url: string, task: 'open' | 'transact' | 'consume', detail = ''): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, url, task, detail]);
  return Number(stdout);
}
