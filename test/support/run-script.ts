/** Runs a script of this project as a separate process, as npm does. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';

export interface RunningScript {
  readonly process: ChildProcess;
  /** The output so far, standard error included. */
  output(): string;
  /** Waits until the output matches. @throws {Error} with the output, if the process ends first or after 90 seconds. */
  waitFor(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Sends the signal and waits. @returns the exit code, or null if a signal ended the process. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Waits until the process ends by itself. @returns the exit code. */
  ended(): Promise<number | null>;
}

const WAIT_MS = 90_000;
const POLL_MS = 50;

const PROJECT = resolve(import.meta.dirname, '../..');

/** @param root the project that contains the script. Default: this one. */
export function runScript(
  script: string,
  args: readonly string[],
  env: Record<string, string> = {},
  root = PROJECT,
): RunningScript {
  const child = spawn(process.execPath, [resolve(root, script), ...args], {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    process: child,
    output: () => text,
    async waitFor(pattern) {
      const endsAt = Date.now() + WAIT_MS;
      for (;;) {
        const found = text.match(pattern);
        if (found) return found;
        if (child.exitCode !== null || Date.now() > endsAt)
          throw new Error(`${pattern} did not come. Output:\n${text}`);
        await Promise.race([ended, setTimeout(POLL_MS)]);
      }
    },
    async stop(signal = 'SIGINT') {
      child.kill(signal);
      return ended;
    },
    ended: () => ended,
  };
}
