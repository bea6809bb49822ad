/** Upstream slots: requests of one connection wait here, in order, until its caps allow them. */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Caps } from '../../contract/index.ts';
import { OpenCounts } from '../open-counts.ts';
import { gather } from '../store/gather.ts';
import { isStoreOutage } from '../store/outage.ts';
import { type CountedUses, UPSTREAM_RATES, type Uses } from '../store/repositories/limits/rate-limits.ts';
import {
  type HeldSlot,
  releaseSlots,
  takeSlots,
  type WantedSlot,
} from '../store/repositories/upstream/upstream-slots.ts';
import type { Executor } from '../store/schema.ts';
import { type CountsStore, createLocalCounts, createStoreCounts, type UseCounts } from './counts.ts';

/** A request for an upstream slot. */
export interface UpstreamSlotRequest {
  readonly connectionId: string;
  readonly caps: Caps;
  /** Latest time at which starting still helps, in milliseconds since 1970. */
  readonly startBy: number;
  /** Latest time at which the request ends, in milliseconds since 1970. */
  readonly endBy: number;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The outcome. `none`: no slot came in time, because of that cap, or because the database that counts requests is down. */
export type SlotOutcome =
  | { readonly kind: 'taken'; end(): void }
  | { readonly kind: 'none'; readonly cap: 'concurrency' | 'rate' | 'uncounted'; readonly retryAfterSeconds: number }
  | { readonly kind: 'cancelled' };

export interface UpstreamSlots {
  /** Waits for a slot, which the caller must end. First come, first served, within this process. One that is free at once is no promise. */
  take(request: UpstreamSlotRequest): SlotOutcome | Promise<SlotOutcome>;
  /** Resolves when all ended slots have been given back. */
  settle(): Promise<void>;
}

/** The counters of slots and requests. */
interface SlotCounts {
  readonly slots: Slots;
  /** Counts requests by connection. */
  readonly counts: UseCounts;
}

interface SlotOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called with why a slot was not given back (it expires by itself), or why a request could not be counted. */
  readonly onError: (error: unknown) => void;
}

interface UpstreamSlotsDependencies extends SlotCounts, SlotOptions {}

const SLOT_GRACE_MS = 1000;
/** A guess: how long others hold a slot is unknown. */
const BUSY_RETRY_SECONDS = 2;
/** Long enough for a database to fail over. */
const AWAY_RETRY_SECONDS = 5;

/** Creates upstream slots that all gateways on the store share. SQLite serves one gateway, whose workers share theirs. */
export function createUpstreamSlots(store: CountsStore, options: SlotOptions, ofWorkers?: SlotCounts): UpstreamSlots {
  const { now } = options;
  if (store.dialect === 'sqlite')
    return buildUpstreamSlots({ slots: createLocalSlots(), counts: createLocalCounts(now), ...ofWorkers, ...options });
  const counts = createStoreCounts(store, now, UPSTREAM_RATES);
  return buildUpstreamSlots({ ...options, slots: createSharedSlots(store.db, now), counts: gatherCounts(counts) });
}

/** Creates upstream slots that keep to the caps by these slots and counts. */
export function buildUpstreamSlots(deps: UpstreamSlotsDependencies): UpstreamSlots {
  const queues = new Map<string, Promise<void>>();
  const releasing = new Set<Promise<void>>();
  const release = (giveBack: GiveBack): void => {
    const giving = giveBack();
    if (giving === undefined) return;
    const done = giving.catch(deps.onError).finally(() => releasing.delete(done));
    releasing.add(done);
  };

  const waitForSlot = async (request: UpstreamSlotRequest, begun: BegunAdmission): Promise<SlotOutcome> => {
    const stop = new AbortController();
    const { promise: stopped, resolve: endWait } = Promise.withResolvers<null>();
    const cancel = () => {
      stop.abort();
      endWait(null);
    };
    const timer = setTimeout(cancel, Math.max(0, request.startBy - deps.now()));
    request.signal.addEventListener('abort', cancel, { once: true });
    if (request.signal.aborted) cancel();
    try {
      const { connectionId } = request;
      const predecessor = queues.get(connectionId) ?? Promise.resolve();
      const admission = predecessor.then(() => admit(request, stop.signal, { ...deps, release, begun }));
      const leave = (): void => {
        if (queues.get(connectionId) === queueEnd) queues.delete(connectionId);
      };
      const queueEnd = admission.then(leave, leave);
      queues.set(connectionId, queueEnd);
      const outcome = await Promise.race([admission, stopped]);
      if (outcome !== null) return outcome;
      admission.then((lateOutcome) => lateOutcome.kind === 'taken' && lateOutcome.end(), ignore);
      return gaveUp(request, request.caps.concurrency === undefined ? 'rate' : 'concurrency');
    } catch (error) {
      if (!isStoreOutage(error)) throw error;
      deps.onError(error);
      return { kind: 'none', cap: 'uncounted', retryAfterSeconds: AWAY_RETRY_SECONDS };
    } finally {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', cancel);
    }
  };

  return {
    take(request) {
      if (queues.has(request.connectionId) || request.signal.aborted) return waitForSlot(request, {});
      // Most requests need not wait, and a process that counts alone knows that at once.
      const begun = beginAdmission(request, deps);
      const { slot, waitMs } = begun;
      if (waitMs !== 0 || slot instanceof Promise) return waitForSlot(request, begun);
      return { kind: 'taken', end: () => slot != null && release(slot) };
    },
    async settle() {
      await Promise.all(releasing);
    },
  };
}

/** Milliseconds until it is worth asking again; 0 for a request that may be sent. */
type WaitMs = number | Promise<number>;

/** The first attempt to admit a request. A missing member was not asked for yet. */
interface BegunAdmission {
  readonly slot?: ReturnType<Slots['take']> | undefined;
  readonly waitMs?: WaitMs;
}

/** Takes a slot, and counts the request unless it has to wait for the slot. */
function beginAdmission(request: UpstreamSlotRequest, { slots, counts }: SlotCounts): BegunAdmission {
  const { connectionId, caps } = request;
  const slot = caps.concurrency === undefined ? undefined : slots.take(toSlotRequest(request, caps.concurrency));
  if (slot === null || slot instanceof Promise) return { slot };
  return { slot, waitMs: caps.rate === undefined ? 0 : countRequest(counts, connectionId, caps.rate) };
}

function toSlotRequest({ connectionId, endBy }: UpstreamSlotRequest, count: number): SlotRequest {
  return { connectionId, count, until: endBy + SLOT_GRACE_MS };
}

interface AdmissionDependencies extends UpstreamSlotsDependencies {
  release(giveBack: GiveBack): void;
  readonly begun: BegunAdmission;
}

/** Waits, for the first in the queue, for a slot and then for the rate. */
async function admit(
  request: UpstreamSlotRequest,
  signal: AbortSignal,
  { slots, counts, now, release, begun }: AdmissionDependencies,
): Promise<SlotOutcome> {
  const { connectionId, caps, startBy } = request;
  const { concurrency: count, rate } = caps;
  let giveBack = (begun.slot instanceof Promise ? await begun.slot : begun.slot) ?? null;
  while (giveBack === null && count !== undefined && !signal.aborted) {
    const attempt = slots.take(toSlotRequest(request, count));
    // Awaiting a plain value could miss a slot of this process that comes free meanwhile.
    giveBack = attempt instanceof Promise ? await attempt : attempt;
    if (giveBack === null) await slots.wait(connectionId, signal);
  }
  const heldSlot = giveBack;
  const end = () => heldSlot !== null && release(heldSlot);
  const isCounted = rate !== undefined && !signal.aborted;
  try {
    let waitMs = await (begun.waitMs ?? (isCounted ? countRequest(counts, connectionId, rate) : 0));
    while (rate !== undefined && waitMs > 0 && !signal.aborted) {
      if (now() + waitMs > startBy) {
        end();
        return { kind: 'none', cap: 'rate', retryAfterSeconds: Math.ceil(waitMs / 1000) };
      }
      await delay(waitMs, undefined, { signal }).catch(ignore);
      if (!signal.aborted) waitMs = await countRequest(counts, connectionId, rate);
    }
  } catch (error) {
    end();
    throw error;
  }
  if (!signal.aborted) return { kind: 'taken', end };
  end();
  return gaveUp(request, heldSlot === null && count !== undefined ? 'concurrency' : 'rate');
}

function gaveUp({ signal }: UpstreamSlotRequest, cap: 'concurrency' | 'rate'): SlotOutcome {
  return signal.aborted ? { kind: 'cancelled' } : { kind: 'none', cap, retryAfterSeconds: BUSY_RETRY_SECONDS };
}

function ignore(): void {}

interface SlotRequest {
  readonly connectionId: string;
  readonly count: number;
  /** Time at which the slot expires, even if this process crashes, in milliseconds since 1970. */
  readonly until: number;
}

/** Gives a slot back. */
export type GiveBack = () => undefined | Promise<void>;

/** Keeps the slots of connections. At most one caller waits for each connection. */
export interface Slots {
  /** @returns a function that gives the slot back, or null when none is free. Only a promise fails. */
  take(request: SlotRequest): GiveBack | null | Promise<GiveBack | null>;
  /** Resolves when it is worth trying again, or when the signal aborts. */
  wait(connectionId: string, signal: AbortSignal): Promise<void>;
}

/** Slots of this process alone. */
export function createLocalSlots(): Slots {
  const held = new OpenCounts();
  const waiting = new Map<string, () => void>();
  return {
    take({ connectionId, count }) {
      if (held.of(connectionId) >= count) return null;
      const giveBack = held.open(connectionId);
      return () => {
        giveBack();
        waiting.get(connectionId)?.();
        return undefined;
      };
    },
    wait: (connectionId, signal) =>
      new Promise((resolve) => {
        const end = () => {
          waiting.delete(connectionId);
          signal.removeEventListener('abort', end);
          resolve();
        };
        waiting.set(connectionId, end);
        if (signal.aborted) end();
        else signal.addEventListener('abort', end, { once: true });
      }),
  };
}

/** Between two tries of one gateway. All gateways wait equally long, so none is ahead of the others for long. */
const MIN_POLL_MS = 15;
const MAX_POLL_MS = 45;

/**
 * Slots of all gateways that share the database. Those that are taken or given back in one turn of the event loop share a statement.
 *
 * @param now milliseconds since 1970.
 */
export function createSharedSlots(db: Executor, now: () => number): Slots {
  const take = gather(async (wanted: readonly WantedSlot[]) => {
    const slotsByHolder = await takeSlots(db, wanted, now());
    return ({ holder }) => slotsByHolder.get(holder);
  });
  const release = gather(async (slots: readonly HeldSlot[]) => {
    await releaseSlots(db, slots);
    return () => {};
  });
  return {
    async take(request) {
      const slot = await take({ ...request, holder: randomUUID() });
      return slot === undefined ? null : () => release(slot);
    },
    wait: (_, signal) => waitForSlot(signal),
  };
}

/** Counts what is counted in one turn of the event loop with one statement for each length of windows. No key is there twice. */
export function gatherCounts(counts: UseCounts): UseCounts {
  const add = gather(async (all: readonly (readonly Uses[])[]) => {
    const byLength = Map.groupBy(all.flat(), ({ windowMs }) => windowMs);
    const counted = await Promise.all([...byLength.values()].map((some) => counts.add(some)));
    const byKey = new Map(counted.flatMap((some) => [...some]));
    return () => byKey;
  });
  return { add };
}

/** Waits before the next try to take a slot that another process may give back. */
export async function waitForSlot(signal: AbortSignal): Promise<void> {
  await delay(MIN_POLL_MS + Math.random() * (MAX_POLL_MS - MIN_POLL_MS), undefined, { signal }).catch(() => {});
}

/** Number of windows that a rate is divided into: fewer allow longer bursts, more lower the rate. */
const RATE_DIVISIONS = 4;

/**
 * The window in which requests are counted, shorter than that of the rate: windows begin with their first request, and any period of
 * `seconds` overlaps at most one more of them than fit into it. So no period holds more than `requests`, wherever it begins.
 */
export function toWindow({ requests, seconds }: Rate): { readonly points: number; readonly seconds: number } {
  const divisions = Math.min(RATE_DIVISIONS, requests - 1);
  return divisions === 0
    ? { points: 1, seconds }
    : { points: Math.floor(requests / (divisions + 1)), seconds: Math.ceil((seconds * 1000) / divisions) / 1000 };
}

type Rate = NonNullable<Caps['rate']>;

/** Counts one request. */
function countRequest(counts: UseCounts, connectionId: string, rate: Rate): WaitMs {
  const { points, seconds } = toWindow(rate);
  const windowMs = Math.round(seconds * 1000);
  const toWait = (counted: ReadonlyMap<string, CountedUses>): number => {
    const { uses, leftMs } = counted.get(connectionId) ?? { uses: 1, leftMs: windowMs };
    return uses <= points ? 0 : Math.max(1, leftMs);
  };
  const counted = counts.add([{ key: connectionId, uses: 1, windowMs, leftMs: windowMs }]);
  return counted instanceof Promise ? counted.then(toWait) : toWait(counted);
}
