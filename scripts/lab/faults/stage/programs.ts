/** Programs that the gate starts and stops: each is one process, and ends with the gate. */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/** The project's folder. */
export const ROOT = path.resolve(import.meta.dirname, '../../../..');
const END_TIMEOUT_MS = 10_000;

/** Runs a program to its end. @throws {Error} if it fails. */
export const run = promisify(execFile);

export interface Program {
  isRunning(): boolean;
  /** Sends the signal and waits for the exit; kills the process after ten seconds. */
  end(signal: NodeJS.Signals): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a program in the project's folder, and appends its output to a file. */
export function startProgram(
  [file = '', ...args]: readonly string[],
  options: { readonly logFile: string; readonly env?: Readonly<Record<string, string>> },
): Program {
  const log = openSync(options.logFile, 'a');
  const env = { ...process.env, NODE_OPTIONS: '', ...options.env };
  const child = spawn(file, args, { cwd: ROOT, env, stdio: ['ignore', log, log] });
  closeSync(log);
  running.add(child);
  const ended = once(child, 'exit')
    .catch(() => {})
    .finally(() => running.delete(child));
  return {
    isRunning: () => running.has(child),
    async end(signal) {
      child.kill(signal);
      const late = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
      await ended;
      clearTimeout(late);
    },
  };
}
