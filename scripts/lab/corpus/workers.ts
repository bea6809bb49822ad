/**
 * Distributes tasks to workers. Small ones share a process; a large one gets its own, so that its memory can be measured.
 */

import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { failedOutcome, type Outcome, type Task } from './outcome.ts';

/** Several times the time that the largest document of the corpus takes on a busy machine. */
const TIMEOUT_MS = 240_000;
const MAX_STDERR_CHARS = 600;

export interface Workers {
  /** @param isLarge true: uses a new process, which then exits. @returns a failed outcome if the process ends or takes too long. */
  run(task: Task, isLarge: boolean): Promise<Outcome>;
  close(): void;
}

export function createWorkers(): Workers {
  const idle: ChildProcess[] = [];
  const start = () => fork(path.join(import.meta.dirname, 'worker.ts'), { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  return {
    run: (task, isLarge) => {
      const worker = (isLarge ? undefined : idle.pop()) ?? start();
      return new Promise((resolve) => {
        let problems = '';
        const listen = (chunk: Buffer) => {
          problems = `${problems}${chunk}`.slice(-MAX_STDERR_CHARS);
        };
        const timer = setTimeout(() => worker.kill('SIGKILL'), TIMEOUT_MS);
        const settle = (result: Outcome) => {
          clearTimeout(timer);
          worker.removeAllListeners();
          worker.stderr?.off('data', listen);
          resolve(result);
        };
        worker.stderr?.on('data', listen);
        worker.once('message', (result) => {
          settle(result as Outcome);
          if (isLarge) worker.kill();
          else idle.push(worker);
        });
        worker.once('exit', (code, signal) => {
          const how =
            signal === 'SIGKILL'
              ? `took more than ${TIMEOUT_MS / 1000} s, or all memory`
              : `ended with ${code ?? signal}`;
          settle(failedOutcome(`codegen ${how}: ${problems}`.replace(/: $/, ''), TIMEOUT_MS / 1000));
        });
        worker.send(task);
      });
    },
    close: () => {
      for (const worker of idle.splice(0)) worker.kill();
    },
  };
}
