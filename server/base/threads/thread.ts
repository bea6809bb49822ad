/** The entry of a thread of a pool: loads the file of each job, runs it, and passes its questions to the main thread. */

import { parentPort } from 'node:worker_threads';

/** A message from the main thread. `begin` starts a job, `answer` answers its question, `drop` ends a job whose result is not needed any more. */
export type ThreadOrder =
  | { readonly id: number; readonly kind: 'begin'; readonly file: string; readonly input: unknown }
  | { readonly id: number; readonly kind: 'answer'; readonly answer: unknown }
  | { readonly id: number; readonly kind: 'drop' };

/** A message to the main thread. Each order but `drop` is followed by exactly one. `cpuMs`: the time that the step took. */
export type ThreadReport = { readonly id: number; readonly cpuMs: number } & (
  | { readonly kind: 'question'; readonly question: unknown }
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
);

/**
 * The function that the file of a job exports as `run`.
 *
 * @param ask asks the main thread, with values that can be cloned.
 */
type RunJob = (input: never, ask: (question: unknown) => Promise<unknown>) => Promise<unknown>;

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a thread');
const report = (message: ThreadReport): void => port.postMessage(message);
const questions = new Map<number, (answer: unknown) => void>();

/** Milliseconds that this thread has worked. Before Node 24, those that have passed: one step is made at a time. */
function cpuNow(): number {
  if (typeof process.threadCpuUsage !== 'function') return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

let stepBeganAt = 0;
const spent = (): number => cpuNow() - stepBeganAt;

async function run(id: number, file: string, input: unknown): Promise<void> {
  const ask = (question: unknown): Promise<unknown> =>
    new Promise((resolve) => {
      questions.set(id, resolve);
      report({ id, kind: 'question', question, cpuMs: spent() });
    });
  try {
    const job = (await import(file)) as { readonly run: RunJob };
    // What every job of the thread needs is not the work of the user whose job comes first.
    stepBeganAt = cpuNow();
    const output = await job.run(input as never, ask);
    report({ id, kind: 'done', output, cpuMs: spent() });
  } catch (error) {
    report({ id, kind: 'failed', error, cpuMs: spent() });
  }
}

port.on('message', (order: ThreadOrder) => {
  stepBeganAt = cpuNow();
  const answerQuestion = questions.get(order.id);
  questions.delete(order.id);
  if (order.kind === 'begin') void run(order.id, order.file, order.input);
  else if (order.kind === 'answer') answerQuestion?.(order.answer);
});
