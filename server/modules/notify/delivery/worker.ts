/** Delivers signed messages to subscribers: at least once, and by one node at a time per subscriber. A queue decides what is due. */

import type { Kysely, RawBuilder } from 'kysely';
import { CredentialUnreadableError } from '../../../base/credentials/index.ts';
import type { Outgoing } from '../../../base/guarded-fetch/outgoing.ts';
import { newId } from '../../../base/store/rows.ts';
import type { Database, Executor } from '../../../base/store/schema.ts';
import { type Attempt, canDeliverMore, failWithoutEvent, judgeAnswer, type QueuedDelivery } from './attempt.ts';
import { type Answer, type Message, sendSigned } from './send.ts';
import { claimSubscriber, listDueSubscribers, releaseSubscriber, type SubscriberRow } from './subscribers.ts';

/** Deliveries of one kind, and the subscribers that get them. `Row` is the type of the rows of `table`. */
export interface DeliveryQueue<
  Row extends SubscriberRow = SubscriberRow,
  Delivery extends QueuedDelivery = QueuedDelivery,
> {
  /** Table of the subscribers, with `SUBSCRIBER_COLUMNS`. */
  readonly table: string;
  /** Returns an SQL condition: the subscriber `s` has due deliveries, and is not held. */
  isDue(now: number): RawBuilder<boolean>;
  /** Prepares deliveries in the transaction of the claim. Default: does nothing. */
  prepare?(transaction: Executor, subscriber: Row, now: number): Promise<void>;
  /** Lists the due deliveries to a subscriber, longest waiting first. */
  listDue(executor: Executor, subscriber: Row, options: { now: number; limit: number }): Promise<Delivery[]>;
  /**
   * Returns the message of a delivery; undefined if its event is no longer stored.
   *
   * @throws {CredentialUnreadableError} when the key of the secret is missing.
   */
  messageOf(executor: Executor, subscriber: Row, delivery: Delivery, now: number): Promise<Message | undefined>;
  /** Stores an attempt, in a transaction if it changes the subscriber. */
  settle(executor: Executor, subscriber: Row, delivery: Delivery, attempt: Attempt): Promise<void>;
}

interface DeliveryWorkerOptions {
  readonly db: Kysely<Database>;
  readonly queue: DeliveryQueue;
  readonly outgoing: Outgoing;
  /** `User-Agent` of every request. */
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called when the store could not be used; the next round tries again. */
  readonly onError: (error: unknown) => void;
  /** Longest time of one request, in milliseconds. Default: 15 s. */
  readonly timeoutMs?: number;
}

/** Delivers in the background. */
export interface DeliveryWorker {
  /** Sends all due deliveries. Resolves when every delivery that it began is done. */
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
const CLAIM_MS = 60_000;

/** Subscribers that a node serves concurrently, in addition to `MIN_OF_PARTNER` of each partner. */
const MAX_SERVED = 50;

/** Subscribers of a partner that are served whatever others need, however slowly those answer. */
const MIN_OF_PARTNER = 4;

/** Due subscribers that a node looks at in a round. */
const MAX_LISTED = 500;

/** Concurrent requests to one subscriber. */
const MAX_REQUESTS = 4;

/** Batches after which a subscriber yields to others. */
const MAX_BATCHES = 25;

/** Creates the worker, with its own node name. Nothing runs before `start` or `round`. */
export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { db, queue, now, onError } = options;
  const stopping = new AbortController();
  const context = { ...options, node: newId(), signal: stopping.signal };
  const serving = new Map<string, { readonly partnerId: string; readonly done: Promise<void> }>();
  let beginning: Promise<void> = Promise.resolve();
  let isWoken = false;
  let timer: NodeJS.Timeout | undefined;

  async function serve(id: string): Promise<void> {
    try {
      await serveSubscriber(id, context);
    } catch (error) {
      if (!stopping.signal.aborted) onError(error);
    } finally {
      serving.delete(id);
    }
  }

  function hasRoom(partnerId: string): boolean {
    if (serving.size < MAX_SERVED) return true;
    const ofPartner = [...serving.values()].filter((served) => served.partnerId === partnerId);
    return ofPartner.length < MIN_OF_PARTNER;
  }

  async function begin(): Promise<void> {
    isWoken = false;
    if (stopping.signal.aborted) return;
    try {
      for (const { id, partnerId } of await listDueSubscribers(db, queue, { now: now(), limit: MAX_LISTED })) {
        if (!serving.has(id) && hasRoom(partnerId)) serving.set(id, { partnerId, done: serve(id) });
      }
    } catch (error) {
      onError(error);
    }
  }

  function beginNext(): void {
    beginning = beginning.then(begin);
  }

  async function untilServed(): Promise<void> {
    await Promise.all([...serving.values()].map(({ done }) => done));
  }

  return {
    async round() {
      await begin();
      await untilServed();
    },
    start() {
      timer = setInterval(beginNext, INTERVAL_MS);
      timer.unref();
    },
    wake() {
      if (isWoken) return;
      isWoken = true;
      beginNext();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await beginning;
      await untilServed();
    },
  };
}

interface ServingContext extends DeliveryWorkerOptions {
  readonly node: string;
  readonly signal: AbortSignal;
}

/** Claims a subscriber and sends to it until nothing is due, it refuses more, or others wait long enough. */
async function serveSubscriber(id: string, context: ServingContext): Promise<void> {
  const { db, queue, node, now, signal } = context;
  try {
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
      const subscriber = await claimAndPrepare(id, context);
      if (subscriber === undefined) return;
      const limit = subscriber.failing_since === null ? MAX_REQUESTS : 1;
      const due = await queue.listDue(db, subscriber, { now: now(), limit });
      if (due.length === 0) return;
      const attempts = await Promise.all(due.map((delivery) => deliver(subscriber, delivery, context)));
      if (!attempts.every(canDeliverMore)) return;
    }
  } finally {
    await releaseSubscriber(db, queue.table, { id, node, now: now() });
  }
}

function claimAndPrepare(
  id: string,
  { db, queue, node, now: clock }: ServingContext,
): Promise<SubscriberRow | undefined> {
  return db.transaction().execute(async (transaction) => {
    const now = clock();
    const claim = { id, node, now, until: now + CLAIM_MS };
    const subscriber = await claimSubscriber(transaction, queue.table, claim);
    if (subscriber !== undefined) await queue.prepare?.(transaction, subscriber, now);
    return subscriber;
  });
}

/** Makes an attempt. It is stored after the answer: if the node crashes in between, another attempt follows with the same id. */
async function deliver(subscriber: SubscriberRow, delivery: QueuedDelivery, context: ServingContext): Promise<Attempt> {
  const { db, queue, now } = context;
  const startedAt = now();
  const answer = await send(subscriber, delivery, startedAt, context);
  const attempt =
    answer === undefined
      ? failWithoutEvent(startedAt)
      : judgeAnswer(subscriber.failing_since, delivery, answer, { startedAt, endedAt: now() });
  if (attempt.subscriber === undefined) await queue.settle(db, subscriber, delivery, attempt);
  else await db.transaction().execute((transaction) => queue.settle(transaction, subscriber, delivery, attempt));
  return attempt;
}

/** Sends the message of a delivery. Returns undefined if its event is no longer stored. */
async function send(
  subscriber: SubscriberRow,
  delivery: QueuedDelivery,
  now: number,
  { db, queue, outgoing, userAgent, signal, timeoutMs }: ServingContext,
): Promise<Answer | undefined> {
  let message: Message | undefined;
  try {
    message = await queue.messageOf(db, subscriber, delivery, now);
  } catch (error) {
    if (!(error instanceof CredentialUnreadableError)) throw error;
    return { status: null, problem: 'secret_unreadable', durationMs: 0 };
  }
  if (message === undefined) return undefined;
  const dispatcher = await outgoing.dispatcher();
  return sendSigned(message, { dispatcher, userAgent, now, signal, timeoutMs });
}
