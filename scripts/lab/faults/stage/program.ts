/** Programs that the gate starts and stops: each is one process. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';

/** The project's folder. */
export const ROOT = path.resolve(import.meta.dirname, '../../../..');

export interface Program {
  readonly process: ChildProcess;
  /** Resolves when the process has exited. */
  readonly ended: Promise<unknown>;
  isRunning(): boolean;
  /** Sends the signal and waits for the exit; kills the process after ten seconds. */
  end(signal: NodeJS.Signals): Promise<void>;
}

const END_TIMEOUT_MS = 10_000;

/** Starts a program in the project's folder, and appends its output to a file. */
export function startProgram(
  [file = '', ...args]: readonly string[],
  options: { readonly logFile: string; readonly env?: Readonly<Record<string, string>> },
): Program {
  const log = openSync(options.logFile, 'a');
  const child = spawn(file, args, {
    cwd: ROOT,
    env: { ...process.env, NODE_OPTIONS: '', ...options.env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = once(child, 'exit').catch(() => {});
  return {
    process: child,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null && child.pid !== undefined,
    async end(signal) {
      child.kill(signal);
      const late = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
      await ended;
      clearTimeout(late);
    },
  };
}
