/** Starts the other process of the store's tests. */

import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('./process.ts', import.meta.url));

/** Runs a task of `process.ts`. @returns the number that it printed. */
export async function runElsewhere(url: string, task: 'open' | 'transact' | 'consume', detail = ''): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, url, task, detail]);
  return Number(stdout);
}

/** Starts a process that revokes tokens by hash. `revoke` resolves when the revocation was committed. */
export function startRevoking(url: string) {
  const child = spawn(process.execPath, [SCRIPT, url, 'revoke'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<string, () => void>();
  createInterface({ input: child.stdout }).on('line', (tokenHash) => waiting.get(tokenHash)?.());
  return {
    revoke: (tokenHash: string): Promise<void> =>
      new Promise((resolve) => {
        waiting.set(tokenHash, resolve);
        child.stdin.write(`${tokenHash}\n`);
      }),
    stop: () => child.stdin.end(),
  };
}
