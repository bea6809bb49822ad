/** Runs the gate in namespaces of its own, so that networks, mounts and processes end with it, whatever happens to it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import path from 'node:path';
import { ROOT } from './stage/program.ts';

/** Set in the process that has the namespaces: the descriptor that ends when the one outside does. */
const MARK = 'FAULTS_LIFELINE';
const LIFELINE = 3;
const END_TIMEOUT_MS = 30_000;
/** The whole run, whatever hangs in it. */
const TIME_LIMIT_MS = 8 * 60_000;

/** True in the process that has namespaces of its own. */
export function isIsolated(): boolean {
  return process.env[MARK] !== undefined;
}

/**
 * Runs the same command once more, inside.
 *
 * @param folder for its files, which outlives it. @returns its exit code.
 */
export async function runIsolated(args: readonly string[], folder: string): Promise<number> {
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const program = [process.execPath, path.join(ROOT, 'scripts/node.mjs'), path.join(ROOT, 'scripts/faults.ts')];
  const inside = spawn('unshare', [...namespaces, ...program, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, [MARK]: folder },
    // Ctrl-C reaches this process alone, which passes it on by the lifeline.
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

/** The folder that the process outside made. */
export function folderFromOutside(): string {
  return process.env[MARK] ?? '';
}

/** Calls back when the run is to end: by a signal, or because the process outside is gone. @returns what stops listening. */
export function onInterrupt(interrupt: () => void): () => void {
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt).on('SIGHUP', interrupt);
  const lifeline = isIsolated() ? new Socket({ fd: LIFELINE, readable: true, writable: false }) : null;
  lifeline?.on('error', interrupt).on('close', interrupt).resume();
  return () => {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt).off('SIGHUP', interrupt);
    lifeline?.off('error', interrupt).off('close', interrupt).destroy();
  };
}
