/** The threads of programs: each runs one program and ends. One is started ahead, because a start takes longer than most programs. */

import { Worker } from 'node:worker_threads';

/** Memory of one program in bytes. */
export const PROGRAM_MEMORY_BYTES = 64 * 1_048_576;

const THREAD_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 8 };
/** After this time without a program, the thread that waits for one ends, and its memory is free again. */
const SPARE_LIFETIME_MS = 10 * 60_000;

/** Starts the threads of one gateway. */
export class ProgramThreads {
  #spare: Worker | null = null;
  #expiry: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** Returns a thread that has run nothing. It may still be starting. */
  take(): Worker {
    const thread = this.#spare;
    if (thread === null) return startThread();
    this.#forget();
    thread.removeAllListeners();
    thread.ref();
    return thread;
  }

  /** Starts the thread of the next program, if none waits. */
  prepare(): void {
    if (this.#spare !== null || this.#isClosed) return;
    const thread = startThread();
    thread.unref();
    // One that ends by itself is not used. `take` starts another.
    for (const event of ['error', 'exit']) thread.on(event, () => this.#spare === thread && this.#forget());
    this.#spare = thread;
    this.#expiry = setTimeout(() => this.#endSpare(), SPARE_LIFETIME_MS).unref();
  }

  /** Ends the thread that waits. Threads with a program end with it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#endSpare();
  }

  async #endSpare(): Promise<void> {
    const thread = this.#spare;
    this.#forget();
    await thread?.terminate();
  }

  #forget(): void {
    clearTimeout(this.#expiry);
    this.#spare = null;
  }
}

function startThread(): Worker {
  return new Worker(new URL('./code-runner.ts', import.meta.url), {
    workerData: PROGRAM_MEMORY_BYTES,
    env: {},
    argv: [],
    execArgv: ['--no-warnings'],
    resourceLimits: THREAD_LIMITS,
    stdin: false,
    stdout: true,
    stderr: true,
  });
}
