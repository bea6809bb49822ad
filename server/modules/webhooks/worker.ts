/** Delivers events to webhook endpoints: at least once, in order per user, and by one node at a time per endpoint. */

import type { Kysely } from 'kysely';
import type { CredentialVault } from '../../base/credentials/index.ts';
import type { Outgoing } from '../../base/guarded-fetch/outgoing.ts';
import { newId } from '../../base/store/rows.ts';
import type { Database } from '../../base/store/schema.ts';
import { deliver } from './deliver.ts';
import { listDueDeliveries, takeEvents } from './deliveries.ts';
import { leaseEndpoint, listDueEndpoints, releaseEndpoint, updateEndpoint, type WebhookEndpoint } from './endpoints.ts';

export interface WebhookWorkerOptions {
  readonly db: Kysely<Database>;
  readonly vault: CredentialVault;
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
export interface WebhookWorker {
  /** Sends all due deliveries. Resolves when every one that it began is done. */
  round(): Promise<void>;
  /** Runs a round every second. */
  start(): void;
  /** Aborts open requests; another node or the next start repeats them. */
  stop(): Promise<void>;
}

const INTERVAL_MS = 1000;

/** Longer than a request may take, so that another node takes over only when this one is down. */
const LEASE_MS = 60_000;

/** Endpoints that a node sends to concurrently. Those that do not answer are paused, so few of these are slow. */
const MAX_ENDPOINTS = 50;

/** Concurrent requests to one endpoint. */
const MAX_OPEN = 4;

/** After this many, an endpoint yields to others. */
const MAX_BATCHES = 25;

/** How soon an endpoint whose waiting deliveries are all paused is checked again. */
const IDLE_MS = 5000;

/** Creates the worker, with its own node name. Nothing runs before `start` or `round`. */
export function createWebhookWorker(options: WebhookWorkerOptions): WebhookWorker {
  const { db, now, onError } = options;
  const node = newId();
  const stopping = new AbortController();
  const serving = new Map<string, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;

  const serve = async (id: string): Promise<void> => {
    try {
      await serveEndpoint(id, { ...options, node, signal: stopping.signal });
    } catch (error) {
      if (!stopping.signal.aborted) onError(error);
    } finally {
      serving.delete(id);
    }
  };
  const begin = async (): Promise<void> => {
    const limit = MAX_ENDPOINTS - serving.size;
    if (limit <= 0 || stopping.signal.aborted) return;
    try {
      for (const id of await listDueEndpoints(db, { now: now(), limit })) {
        if (!serving.has(id)) serving.set(id, serve(id));
      }
    } catch (error) {
      onError(error);
    }
  };
  let beginning: Promise<void> = Promise.resolve();
  return {
    async round() {
      await begin();
      await Promise.all(serving.values());
    },
    start() {
      timer = setInterval(() => {
        beginning = beginning.then(begin);
      }, INTERVAL_MS);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await beginning;
      await Promise.all(serving.values());
    },
  };
}

interface Serving extends WebhookWorkerOptions {
  readonly node: string;
  readonly signal: AbortSignal;
}

async function serveEndpoint(id: string, serving: Serving): Promise<void> {
  const { db, node, now, signal } = serving;
  try {
    let sent = 0;
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
      const endpoint = await takeLease(id, serving);
      if (endpoint === undefined) return;
      const limit = endpoint.failingSince === null ? MAX_OPEN : 1;
      const due = await listDueDeliveries(db, { endpointId: id, now: now(), limit });
      if (due.length === 0) {
        if (sent === 0) await updateEndpoint(db, id, { held_until: now() + IDLE_MS });
        return;
      }
      sent += due.length;
      const goesOn = await Promise.all(due.map((delivery) => deliver(endpoint, delivery, serving)));
      if (!goesOn.every(Boolean)) return;
    }
  } finally {
    await releaseEndpoint(db, { id, node, now: now() });
  }
}

/** Takes or extends the lease, and creates deliveries for the events since the last time. */
async function takeLease(id: string, { db, node, now }: Serving): Promise<WebhookEndpoint | undefined> {
  return db.transaction().execute(async (transaction) => {
    const at = now();
    const endpoint = await leaseEndpoint(transaction, { id, node, now: at, until: at + LEASE_MS });
    if (endpoint !== undefined) await takeEvents(transaction, endpoint, at);
    return endpoint;
  });
}
