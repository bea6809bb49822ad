/** Delivers signed messages to targets: at least once, and by one node at a time per target. What is due, a queue says. */

import type { Kysely } from 'kysely';
import { CredentialUnreadableError } from '../credentials/index.ts';
import type { Outgoing } from '../guarded-fetch/outgoing.ts';
import { newId } from '../store/rows.ts';
import type { Database, Executor } from '../store/schema.ts';
import { type Attempt, type DeliveryTarget, goesOn, judge, nothingToSend, type QueuedDelivery } from './attempt.ts';
import { type Answer, type Message, sendSigned } from './send.ts';

/** A node, and how long it may send to a target; both times in milliseconds since 1970. */
export interface Lease {
  readonly id: string;
  readonly node: string;
  readonly now: number;
  readonly until: number;
}

/** A target that deliveries wait for. */
export interface DueTarget {
  readonly id: string;
  /** Whose places it takes: the partner's row id. */
  readonly partnerId: string;
}

/** Deliveries of one kind, with the targets that they go to. Its tables are those of who keeps it. */
export interface DeliveryQueue<Target extends DeliveryTarget, Delivery extends QueuedDelivery> {
  /** Targets with due deliveries that no node leases and that are not held: of each partner its longest waiting, then the next. */
  listDueTargets(executor: Executor, options: { now: number; limit: number }): Promise<DueTarget[]>;
  /** Takes or extends the lease of a target. @returns undefined if another node has it, or nothing may be sent to it. */
  lease(transaction: Executor, lease: Lease): Promise<Target | undefined>;
  /** Ends a lease and moves the target to the end of the queue. */
  release(executor: Executor, lease: Omit<Lease, 'until'>): Promise<void>;
  /** Nothing is sent to the target before a time. */
  hold(executor: Executor, targetId: string, until: number): Promise<void>;
  /** The due deliveries to a target, longest waiting first. */
  listDue(executor: Executor, target: Target, options: { now: number; limit: number }): Promise<Delivery[]>;
  /**
   * What an attempt sends; undefined: it is no longer kept.
   *
   * @throws {CredentialUnreadableError} when the key of the secret is missing.
   */
  messageOf(executor: Executor, target: Target, delivery: Delivery, now: number): Promise<Message | undefined>;
  /** Stores an attempt, in a transaction if it changes the target. */
  settle(executor: Executor, target: Target, delivery: Delivery, attempt: Attempt): Promise<void>;
}

interface DeliveryWorkerOptions<Target extends DeliveryTarget, Delivery extends QueuedDelivery> {
  readonly db: Kysely<Database>;
  readonly queue: DeliveryQueue<Target, Delivery>;
  readonly outgoing: Outgoing;
  /** `User-Agent` of every request. */
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called with why the store could not be used; the next round tries again. */
  readonly onError: (error: unknown) => void;
  /** Longest time of one request, in milliseconds. Default: 15 s. */
  readonly timeoutMs?: number;
}

/** Delivers in the background. */
export interface DeliveryWorker {
  /** Sends all due deliveries. Resolves when every one that it began is done. */
  round(): Promise<void>;
  /** Runs a round every second. */
  start(): void;
  /** Runs a round soon, because something has been queued. */
  wake(): void;
  /** Aborts open requests; another node or the next start repeats them. */
  stop(): Promise<void>;
}

const INTERVAL_MS = 1000;

/** Longer than a request may take, so that another node takes over only when this one is down. */
const LEASE_MS = 60_000;

/** Targets that a node sends to concurrently, besides the places that each partner has anyway. */
const MAX_TARGETS = 50;

/** Each partner has this many places, however many targets of others answer slowly. */
const PLACES_OF_PARTNER = 4;

/** Of the due targets, the node looks at this many. */
const MAX_LISTED = 500;

/** Concurrent requests to one target. */
const MAX_OPEN = 4;

/** After this many, a target yields to others. */
const MAX_BATCHES = 25;

/** How soon a target whose waiting deliveries are all paused is checked again. */
const IDLE_MS = 5000;

/** Creates the worker, with its own node name. Nothing runs before `start` or `round`. */
export function createDeliveryWorker<Target extends DeliveryTarget, Delivery extends QueuedDelivery>(
  options: DeliveryWorkerOptions<Target, Delivery>,
): DeliveryWorker {
  const { db, queue, now, onError } = options;
  const node = newId();
  const stopping = new AbortController();
  const serving = new Map<string, { readonly partnerId: string; readonly done: Promise<void> }>();
  let timer: NodeJS.Timeout | undefined;

  const serve = async (id: string): Promise<void> => {
    try {
      await serveTarget(id, { ...options, node, signal: stopping.signal });
    } catch (error) {
      if (!stopping.signal.aborted) onError(error);
    } finally {
      serving.delete(id);
    }
  };
  const hasPlace = (partnerId: string): boolean =>
    serving.size < MAX_TARGETS ||
    [...serving.values()].filter((one) => one.partnerId === partnerId).length < PLACES_OF_PARTNER;
  const begin = async (): Promise<void> => {
    if (stopping.signal.aborted) return;
    try {
      for (const { id, partnerId } of await queue.listDueTargets(db, { now: now(), limit: MAX_LISTED })) {
        if (!serving.has(id) && hasPlace(partnerId)) serving.set(id, { partnerId, done: serve(id) });
      }
    } catch (error) {
      onError(error);
    }
  };
  let beginning: Promise<void> = Promise.resolve();
  let isWoken = false;
  return {
    async round() {
      await begin();
      await Promise.all([...serving.values()].map(({ done }) => done));
    },
    start() {
      timer = setInterval(() => {
        beginning = beginning.then(begin);
      }, INTERVAL_MS);
      timer.unref();
    },
    wake() {
      if (isWoken) return;
      isWoken = true;
      beginning = beginning.then(() => {
        isWoken = false;
        return begin();
      });
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await beginning;
      await Promise.all([...serving.values()].map(({ done }) => done));
    },
  };
}

interface Serving<Target extends DeliveryTarget, Delivery extends QueuedDelivery>
  extends DeliveryWorkerOptions<Target, Delivery> {
  readonly node: string;
  readonly signal: AbortSignal;
}

async function serveTarget<Target extends DeliveryTarget, Delivery extends QueuedDelivery>(
  id: string,
  serving: Serving<Target, Delivery>,
): Promise<void> {
  const { db, queue, node, now, signal } = serving;
  const lease = (transaction: Executor): Promise<Target | undefined> => {
    const at = now();
    return queue.lease(transaction, { id, node, now: at, until: at + LEASE_MS });
  };
  try {
    let sent = 0;
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
      const target = await db.transaction().execute(lease);
      if (target === undefined) return;
      const limit = target.failingSince === null ? MAX_OPEN : 1;
      const due = await queue.listDue(db, target, { now: now(), limit });
      if (due.length === 0) {
        if (sent === 0) await queue.hold(db, id, now() + IDLE_MS);
        return;
      }
      sent += due.length;
      const attempts = await Promise.all(due.map((delivery) => deliver(target, delivery, serving)));
      if (!attempts.every(goesOn)) return;
    }
  } finally {
    await queue.release(db, { id, node, now: now() });
  }
}

/**
 * Makes an attempt. It is stored after the response, so when a node crashes in between, another attempt follows with the same
 * id.
 */
async function deliver<Target extends DeliveryTarget, Delivery extends QueuedDelivery>(
  target: Target,
  delivery: Delivery,
  serving: Serving<Target, Delivery>,
): Promise<Attempt> {
  const { db, queue, now } = serving;
  const startedAt = now();
  const answer = await answerTo(target, delivery, startedAt, serving);
  const attempt =
    answer === undefined ? nothingToSend(startedAt) : judge(target, delivery, answer, { startedAt, endedAt: now() });
  const settle = (executor: Executor) => queue.settle(executor, target, delivery, attempt);
  await (attempt.target === null ? settle(db) : db.transaction().execute(settle));
  return attempt;
}

/** Sends what a delivery tells. @returns undefined if that is no longer kept. */
async function answerTo<Target extends DeliveryTarget, Delivery extends QueuedDelivery>(
  target: Target,
  delivery: Delivery,
  now: number,
  { db, queue, outgoing, userAgent, signal, timeoutMs }: Serving<Target, Delivery>,
): Promise<Answer | undefined> {
  let message: Message | undefined;
  try {
    message = await queue.messageOf(db, target, delivery, now);
  } catch (error) {
    if (!(error instanceof CredentialUnreadableError)) throw error;
    return { status: null, problem: 'secret_unreadable', durationMs: 0 };
  }
  if (message === undefined) return undefined;
  const dispatcher = await outgoing.dispatcher();
  const limits = timeoutMs === undefined ? {} : { timeoutMs };
  return sendSigned(message, { dispatcher, userAgent, now, signal, ...limits });
}
