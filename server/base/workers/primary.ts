/** The primary process of a gateway with several workers: starts and replaces them, and keeps what they count together. */

import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { createLocalCounts } from '../limits/counts.ts';
import { createLocalSlots, type GiveBack } from '../limits/upstream-slots.ts';
import { withTimeout } from '../with-timeout.ts';
import { Channel, type WorkerAnswer } from './channel.ts';

interface PrimaryOptions {
  /** Number of workers. */
  readonly count: number;
  readonly log: Logger;
  /** Time that open requests have to finish, in milliseconds. */
  readonly stopTimeoutMs: number;
}

/** A worker that ends sooner than this after its start ended early. */
const EARLY_MS = 30_000;
/** The gateway stops when a worker ended early this often in a row. */
const MAX_EARLY_ENDS = 6;
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 5_000;

/** Workers that have not ended this long after the time for open requests are killed. */
const STOP_GRACE_MS = 20_000;

/** Time in which a worker has to answer a question of another worker. */
const GATHER_TIMEOUT_MS = 1_000;

/** The place of a worker, and the process that has it now. */
interface ManagedWorker {
  readonly number: number;
  worker: Worker | null;
  channel: Channel | null;
  startedAt: number;
  earlyEnds: number;
  waiting?: NodeJS.Timeout;
}

/** Runs the workers. */
export class Primary {
  readonly #options: PrimaryOptions;
  readonly #gatewayId = randomUUID();
  readonly #share = createShares();
  readonly #managedWorkers: readonly ManagedWorker[];
  readonly #ended = Promise.withResolvers<number>();
  #isStarted = false;
  #isStopping = false;
  #exitCode = 0;

  constructor(options: PrimaryOptions) {
    this.#options = options;
    this.#managedWorkers = Array.from({ length: options.count }, (_, index) => {
      return { number: index + 1, worker: null, channel: null, startedAt: 0, earlyEnds: 0 };
    });
  }

  /**
   * Starts the first worker, which migrates the store and opens the listeners, and the others after it.
   *
   * @returns the exit code, once all have ended. When the first cannot start, it has said why, and no other is started.
   */
  run(): Promise<number> {
    const [first] = this.#managedWorkers;
    if (first !== undefined) this.#start(first);
    return this.#ended.promise;
  }

  /** Has all workers stop at the same time, and kills what is left after that. */
  stop(): void {
    this.#isStopping = true;
    for (const { waiting, channel, worker } of this.#managedWorkers) {
      clearTimeout(waiting);
      if (this.#isStarted) channel?.tell('stop', null);
      else worker?.process.kill();
    }
    setTimeout(() => {
      this.#options.log.error('workers that did not stop in time are killed');
      this.kill();
    }, this.#options.stopTimeoutMs + STOP_GRACE_MS).unref();
    this.#endIfEmpty();
  }

  /** Ends all workers at once. */
  kill(): void {
    this.#isStopping = true;
    for (const { worker } of this.#managedWorkers) worker?.process.kill('SIGKILL');
  }

  #start(managed: ManagedWorker): void {
    const cache = getCompileCacheDir();
    // The variable names the folder above: Node adds one for its own version.
    const worker = cluster.fork(cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) });
    const channel = new Channel(
      (messages) => void worker.send(messages, () => {}),
      (hear) => worker.on('message', hear),
    );
    Object.assign(managed, { worker, channel, startedAt: Date.now() });
    const { number } = managed;
    const leave = this.#share(channel);
    channel.answer('join', async () => {
      return { gatewayId: this.#gatewayId, number, count: this.#managedWorkers.length, isFirst: !this.#isStarted };
    });
    channel.answer('ready', async () => {
      if (!this.#isStarted && !this.#isStopping)
        for (const otherWorker of this.#managedWorkers.slice(1)) this.#start(otherWorker);
      this.#isStarted = true;
      return null;
    });
    channel.answer('tell', async (message) => {
      for (const otherWorker of this.#managedWorkers)
        if (otherWorker !== managed) otherWorker.channel?.tell('tell', message);
      return null;
    });
    channel.answer('gather', (topic) => this.#gather(topic));
    worker.on('error', (error) => this.#options.log.error({ err: error, worker: number }, 'a worker could not start'));
    worker.once('exit', (code, signal) => {
      Object.assign(managed, { worker: null, channel: null });
      channel.close();
      leave();
      this.#onEnd(managed, code, signal);
    });
  }

  #onEnd(managed: ManagedWorker, code: number, signal: string | null): void {
    const { log } = this.#options;
    if (!this.#isStarted || this.#isStopping) {
      if (code !== 0) this.#exitCode = code > 0 ? code : 1;
      this.#isStopping = true;
      this.#endIfEmpty();
      return;
    }
    managed.earlyEnds = Date.now() - managed.startedAt < EARLY_MS ? managed.earlyEnds + 1 : 0;
    const facts = { worker: managed.number, exitCode: code, signal };
    if (managed.earlyEnds >= MAX_EARLY_ENDS) {
      log.fatal(facts, `a worker ended ${MAX_EARLY_ENDS} times soon after its start: the gateway stops, see its lines`);
      this.#exitCode = 1;
      this.stop();
      return;
    }
    log.error(facts, 'a worker ended: another takes its place');
    const waitMs = managed.earlyEnds === 0 ? 0 : FIRST_WAIT_MS * 2 ** (managed.earlyEnds - 1);
    managed.waiting = setTimeout(() => this.#start(managed), Math.min(waitMs, MAX_WAIT_MS));
  }

  #endIfEmpty(): void {
    if (this.#managedWorkers.every(({ worker }) => worker === null)) this.#ended.resolve(this.#exitCode);
  }

  async #gather(topic: string): Promise<WorkerAnswer[]> {
    const answers = this.#managedWorkers.map(async ({ number, channel }): Promise<WorkerAnswer[]> => {
      if (channel === null) return [];
      const pendingAnswer = channel.ask('report', topic).catch(() => null);
      const answer = await withTimeout(pendingAnswer, GATHER_TIMEOUT_MS, () => null);
      return answer === null || answer === undefined ? [] : [{ worker: number, answer }];
    });
    return (await Promise.all(answers)).flat();
  }
}

/** Counts and slots of all workers. @returns shares them over a channel, and returns what gives back the slots of a worker that ended. */
function createShares(): (channel: Channel) => () => void {
  const counts = { limits: createLocalCounts(Date.now), turns: createLocalCounts(Date.now) };
  const slots = createLocalSlots();
  return (channel) => {
    const heldSlots = new Map<number, GiveBack>();
    let lastSlotId = 0;
    channel.answer('count', async ({ of, uses }) => [...(await counts[of].add(uses))]);
    channel.answer('take', async (request) => {
      const giveBack = await slots.take(request);
      if (giveBack === null) return null;
      lastSlotId += 1;
      heldSlots.set(lastSlotId, giveBack);
      return lastSlotId;
    });
    channel.answer('release', async (slot) => {
      await heldSlots.get(slot)?.();
      heldSlots.delete(slot);
      return null;
    });
    return () => {
      for (const giveBack of heldSlots.values()) void giveBack();
    };
  };
}
