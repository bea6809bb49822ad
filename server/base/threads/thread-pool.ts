/** A few threads for work whose size callers choose, so that it never stops the thread that answers everybody. */

import { Worker } from 'node:worker_threads';
import { type RunPermit, RunQueue } from '../limits/run-queue.ts';
import type { ThreadOrder, ThreadReport } from './thread.ts';

/** Work for a thread. */
interface ThreadJob {
  /** The file that exports `run`; see `RunJob`. */
  readonly file: URL;
  /** Whose work it is: users take turns. */
  readonly userId: string;
  /** Passed to `run`. It is cloned, so it holds no functions. */
  readonly input: unknown;
  /** Answers a question of the job, which waits for it without holding the thread. Default: it has none. */
  readonly answer?: (question: unknown) => Promise<unknown>;
  /** Ends the waiting for a turn. */
  readonly signal: AbortSignal;
}

/**
 * Why a job has no output. `busy`: too many jobs wait. `cancelled`: its signal aborted while it waited. `time`, `memory`: it used too
 * much. `failed`: it threw, or its thread ended because of another job.
 */
export type ThreadFailure = 'busy' | 'cancelled' | 'time' | 'memory' | 'failed';

/** A job without output. */
export class ThreadJobError extends Error {
  override readonly name = 'ThreadJobError';
  readonly reason: ThreadFailure;

  constructor(reason: ThreadFailure, cause?: unknown) {
    super(`a job of a thread ended: ${reason}`, { cause });
    this.reason = reason;
  }
}

interface ThreadPoolOptions {
  /** Threads at most. Each starts with its first job. */
  readonly threads: number;
  /** Called with the processor time that each step of a job took, in milliseconds. */
  readonly onWork: (userId: string, ms: number) => void;
  /** Milliseconds that one step of a job may take before its thread is ended. Default: 10 s. */
  readonly stepMs?: number;
}

const STEP_MS = 10_000;
/** Each job that waits may hold an answer of several megabytes. */
const WAITING_LIMITS = { waiting: 24, waitingOfUser: 10 };
const THREAD_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 };

/** A pool of threads. */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #threads: PoolThread[];
  #lastId = 0;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#threads = Array.from({ length: options.threads }, () => new PoolThread(options));
  }

  /** Jobs that run or wait. */
  get jobs(): number {
    return this.#threads.reduce((sum, { jobs }) => sum + jobs, 0);
  }

  /** Runs a job in the thread with the fewest. @returns its output. @throws {ThreadJobError} */
  async run(job: ThreadJob): Promise<unknown> {
    const thread = this.#threads.reduce((least, candidate) => (candidate.jobs < least.jobs ? candidate : least));
    this.#lastId += 1;
    const id = this.#lastId;
    thread.jobs += 1;
    try {
      let report = await thread.step(job, { id, kind: 'begin', file: job.file.href, input: job.input });
      while (report.kind === 'question') {
        if (job.answer === undefined) throw new ThreadJobError('failed');
        const answer = await job.answer(report.question);
        report = await thread.step(job, { id, kind: 'answer', answer });
      }
      if (report.kind === 'failed') throw new ThreadJobError('failed', report.error);
      return report.output;
    } finally {
      thread.jobs -= 1;
      thread.drop(id);
    }
  }

  /** Ends the threads. Jobs that run end with `failed`. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

interface Step {
  readonly id: number;
  readonly resolve: (report: ThreadReport) => void;
  readonly reject: (error: ThreadJobError) => void;
}

/** One thread, which makes one step of one job at a time. */
class PoolThread {
  /** Jobs that run or wait here. */
  jobs = 0;
  readonly #options: ThreadPoolOptions;
  readonly #queue = new RunQueue(1, WAITING_LIMITS);
  /** Jobs that the current worker has begun. */
  readonly #begun = new Set<number>();
  #worker: Worker | undefined;
  #step: Step | undefined;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /** Gives the thread an order when it is the turn of the user. @returns what it reports. */
  async step(job: ThreadJob, order: ThreadOrder): Promise<ThreadReport> {
    const permit = await this.#queue.take(job.userId, job.signal);
    if (permit === null) throw new ThreadJobError(job.signal.aborted ? 'cancelled' : 'busy');
    // The thread that began the job has ended.
    if (order.kind === 'answer' && !this.#begun.has(order.id)) {
      permit.end();
      throw new ThreadJobError('failed');
    }
    return this.#makeStep(job, order, permit);
  }

  async #makeStep(job: ThreadJob, order: ThreadOrder, permit: RunPermit): Promise<ThreadReport> {
    const worker = this.#worker ?? this.#start();
    const { stepMs = STEP_MS, onWork } = this.#options;
    const timer = setTimeout(() => {
      onWork(job.userId, stepMs);
      void this.#fail('time');
    }, stepMs);
    try {
      const report = await new Promise<ThreadReport>((resolve, reject) => {
        this.#step = { id: order.id, resolve, reject };
        this.#begun.add(order.id);
        worker.postMessage(order);
      });
      if (report.kind !== 'question') this.#begun.delete(order.id);
      onWork(job.userId, report.cpuMs);
      return report;
    } finally {
      this.#step = undefined;
      clearTimeout(timer);
      permit.end();
    }
  }

  /** Forgets a job that is over. Its thread is told if the job still waits for an answer. */
  drop(id: number): void {
    if (this.#begun.delete(id)) this.#worker?.postMessage({ id, kind: 'drop' } satisfies ThreadOrder);
  }

  async close(): Promise<void> {
    await this.#fail('failed');
  }

  #start(): Worker {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      env: {},
      argv: [],
      execArgv: ['--no-warnings'],
      resourceLimits: THREAD_LIMITS,
      stdin: false,
    });
    worker.unref();
    worker.on('message', (report: ThreadReport) => {
      if (report.id === this.#step?.id) this.#step.resolve(report);
    });
    worker.on('error', (error: Error & { readonly code?: string }) => {
      if (this.#worker === worker)
        void this.#fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'failed', error);
    });
    worker.on('exit', () => {
      if (this.#worker === worker) void this.#fail('failed');
    });
    this.#worker = worker;
    return worker;
  }

  /** Ends the thread, whatever it is doing. The next step starts another one. */
  async #fail(reason: ThreadFailure, cause?: unknown): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#begun.clear();
    this.#step?.reject(new ThreadJobError(reason, cause));
    await worker?.terminate();
  }
}
