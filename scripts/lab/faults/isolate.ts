/** Runs the gate in its own namespaces, so that networks, mounts and processes always end with it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import path from 'node:path';
import { ROOT } from './stage/program.ts';

/** Holds the folder in the process with the namespaces, whose descriptor `LIFELINE` closes when the outer process ends. */
const MARK = 'FAULTS_LIFELINE';
const LIFELINE = 3;
const END_TIMEOUT_MS = 30_000;
/** Limit for the whole run, whatever hangs in it. */
const TIME_LIMIT_MS = 10 * 60_000;

/** True in the process with its own namespaces. */
export function isIsolated(): boolean {
  return process.env[MARK] !== undefined;
}

/**
 * Runs the same command again inside the namespaces.
 *
 * @param folder for its files, which outlives the run. @returns its exit code.
 */
export async function runIsolated(args: readonly string[], folder: string): Promise<number> {
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const program = [process.execPath, path.join(ROOT, 'scripts/node.mjs'), path.join(ROOT, 'scripts/lab/main.ts')];
  const inside = spawn('unshare', [...namespaces, ...program, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, [MARK]: folder },
    // Ctrl-C reaches only this process, which passes it on through the lifeline.
    detached: true,
  });
  const ended = once(inside, 'exit');
  const lifeline = inside.stdio[LIFELINE];
  const interrupt = (): void => {
    lifeline?.destroy();
    setTimeout(() => inside.kill('SIGKILL'), END_TIMEOUT_MS).unref();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt).on('SIGHUP', interrupt);
  const tooLate = setTimeout(interrupt, TIME_LIMIT_MS);
  try {
    const [code] = (await ended) as [number | null];
    return code ?? 1;
  } finally {
    clearTimeout(tooLate);
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt).off('SIGHUP', interrupt);
    lifeline?.destroy();
  }
}

/** The folder that the outer process created. */
export function folderFromOutside(): string {
  return process.env[MARK] ?? '';
}

/**
 * Calls back when the run is to end: on a signal, or when the outer process is gone. @returns a function that stops listening.
 */
export function onInterrupt(interrupt: () => void): () => void {
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt).on('SIGHUP', interrupt);
  const lifeline = isIsolated() ? new Socket({ fd: LIFELINE, readable: true, writable: false }) : null;
  lifeline?.on('error', interrupt).on('close', interrupt).resume();
  return () => {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt).off('SIGHUP', interrupt);
    lifeline?.off('error', interrupt).off('close', interrupt).destroy();
  };
}
