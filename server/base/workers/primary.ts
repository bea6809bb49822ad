/** The primary process of a gateway with several workers: starts and replaces them, and keeps what they count together. */

import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { createLocalCounts } from '../limits/counts.ts';
import { createLocalSlots, type GiveBack } from '../limits/turns.ts';
import { withTimeout } from '../with-timeout.ts';
import { Channel, type Gathered } from './channel.ts';

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
interface Place {
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
  readonly #places: readonly Place[];
  readonly #ended = Promise.withResolvers<number>();
  #isStarted = false;
  #isStopping = false;
  #exitCode = 0;

  constructor(options: PrimaryOptions) {
    this.#options = options;
    this.#places = Array.from({ length: options.count }, (_, index) => {
      return { number: index + 1, worker: null, channel: null, startedAt: 0, earlyEnds: 0 };
    });
  }

  /**
   * Starts the first worker, which migrates the store and opens the listeners, and the others after it.
   *
   * @returns the exit code, once all have ended. When the first cannot start, it has said why, and no other is started.
   */
  run(): Promise<number> {
    const [first] = this.#places;
    if (first !== undefined) this.#start(first);
    return this.#ended.promise;
  }

  /** Has all workers stop at the same time, and kills what is left after that. */
  stop(): void {
    this.#isStopping = true;
    for (const { waiting, channel, worker } of this.#places) {
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
    for (const { worker } of this.#places) worker?.process.kill('SIGKILL');
  }

  #start(place: Place): void {
    const cache = getCompileCacheDir();
    // The variable names the folder above: Node adds one for its own version.
    const worker = cluster.fork(cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) });
    const channel = new Channel(
      (message) => void worker.send(message, () => {}),
      (hear) => worker.on('message', hear),
    );
    Object.assign(place, { worker, channel, startedAt: Date.now() });
    const { number } = place;
    const leave = this.#share(channel);
    channel.answer('join', async () => {
      return { gatewayId: this.#gatewayId, number, count: this.#places.length, isFirst: !this.#isStarted };
    });
    channel.answer('ready', async () => {
      if (!this.#isStarted && !this.#isStopping) for (const other of this.#places.slice(1)) this.#start(other);
      this.#isStarted = true;
      return null;
    });
    channel.answer('tell', async (told) => {
      for (const other of this.#places) if (other !== place) other.channel?.tell('tell', told);
      return null;
    });
    channel.answer('gather', (topic) => this.#gather(topic));
    worker.on('error', (error) => this.#options.log.error({ err: error, worker: number }, 'a worker could not start'));
    worker.once('exit', (code, signal) => {
      Object.assign(place, { worker: null, channel: null });
      channel.close();
      leave();
      this.#onEnd(place, code, signal);
    });
  }

  #onEnd(place: Place, code: number, signal: string | null): void {
    const { log } = this.#options;
    if (!this.#isStarted || this.#isStopping) {
      if (code !== 0) this.#exitCode = code > 0 ? code : 1;
      this.#isStopping = true;
      this.#endIfEmpty();
      return;
    }
    place.earlyEnds = Date.now() - place.startedAt < EARLY_MS ? place.earlyEnds + 1 : 0;
    const facts = { worker: place.number, exitCode: code, signal };
    if (place.earlyEnds >= MAX_EARLY_ENDS) {
      log.fatal(facts, `a worker ended ${MAX_EARLY_ENDS} times soon after its start: the gateway stops, see its lines`);
      this.#exitCode = 1;
      this.stop();
      return;
    }
    log.error(facts, 'a worker ended: another takes its place');
    const waitMs = place.earlyEnds === 0 ? 0 : FIRST_WAIT_MS * 2 ** (place.earlyEnds - 1);
    place.waiting = setTimeout(() => this.#start(place), Math.min(waitMs, MAX_WAIT_MS));
  }

  #endIfEmpty(): void {
    if (this.#places.every(({ worker }) => worker === null)) this.#ended.resolve(this.#exitCode);
  }

  async #gather(topic: string): Promise<Gathered[]> {
    const gathered = this.#places.map(async ({ number, channel }): Promise<Gathered[]> => {
      if (channel === null) return [];
      const asked = channel.ask('report', topic).catch(() => null);
      const answer = await withTimeout(asked, GATHER_TIMEOUT_MS, () => null);
      return answer === null || answer === undefined ? [] : [{ worker: number, answer }];
    });
    return (await Promise.all(gathered)).flat();
  }
}

/** Counts and slots of all workers. @returns shares them over a channel, and returns what gives back the slots of a worker that ended. */
function createShares(): (channel: Channel) => () => void {
  const counts = { limits: createLocalCounts(Date.now), turns: createLocalCounts(Date.now) };
  const slots = createLocalSlots();
  return (channel) => {
    const held = new Map<number, GiveBack>();
    let taken = 0;
    channel.answer('count', async ({ of, uses }) => [...(await counts[of].add(uses))]);
    channel.answer('take', async (request) => {
      const giveBack = await slots.take(request);
      if (giveBack === null) return null;
      taken += 1;
      held.set(taken, giveBack);
      return taken;
    });
    channel.answer('release', async (slot) => {
      await held.get(slot)?.();
      held.delete(slot);
      return null;
    });
    return () => {
      for (const giveBack of held.values()) void giveBack();
    };
  };
}
