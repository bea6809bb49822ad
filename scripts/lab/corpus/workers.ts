/**
 * Distributes tasks to workers. Small ones share a process; a large one gets its own, so that its memory can be measured.
 */

import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';

/** Several times the time that the largest document of the corpus takes on a busy machine. */
const TIMEOUT_MS = 240_000;
const MAX_STDERR_CHARS = 600;

export interface Workers<T, R> {
  /** @param isLarge true: uses a new process, which then exits. */
  run(task: T, isLarge: boolean): Promise<R>;
  close(): void;
}

/**
 * @param file the worker's program, relative to this folder: it answers each message with one.
 * @param toFailed result of a task whose process exited or timed out.
 */
export function createWorkers<T extends object, R>(
  file: string,
  toFailed: (problem: string, seconds: number) => R,
): Workers<T, R> {
  const idle: ChildProcess[] = [];
  const start = () => fork(path.join(import.meta.dirname, file), { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  return {
    run: (task, isLarge) => {
      const worker = (isLarge ? undefined : idle.pop()) ?? start();
      return new Promise((resolve) => {
        let problems = '';
        const listen = (chunk: Buffer) => {
          problems = `${problems}${chunk}`.slice(-MAX_STDERR_CHARS);
        };
        const timer = setTimeout(() => worker.kill('SIGKILL'), TIMEOUT_MS);
        const settle = (result: R) => {
          clearTimeout(timer);
          worker.removeAllListeners();
          worker.stderr?.off('data', listen);
          resolve(result);
        };
        worker.stderr?.on('data', listen);
        worker.once('message', (result) => {
          settle(result as R);
          if (isLarge) worker.kill();
          else idle.push(worker);
        });
        worker.once('exit', (code, signal) => {
          const how =
            signal === 'SIGKILL'
              ? `took more than ${TIMEOUT_MS / 1000} s, or all memory`
              : `ended with ${code ?? signal}`;
          settle(toFailed(`codegen ${how}: ${problems}`.replace(/: $/, ''), TIMEOUT_MS / 1000));
        });
        worker.send(task);
      });
    },
    close: () => {
      for (const worker of idle.splice(0)) worker.kill();
    },
  };
}
