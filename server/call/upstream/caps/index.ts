/** Turns to call an upstream: requests of one connection wait here, in order, until its caps allow them. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '../../../base/store/index.ts';
import { isStoreOutage } from '../../../base/store/outage.ts';
import type { Caps } from '../../../contract/index.ts';
import { createLocalRates, createSharedRates, type Rates } from './rates.ts';
import { createLocalSlots, createSharedSlots, type GiveBack, type Slots } from './slots.ts';

/** A request for a turn. */
export interface TurnRequest {
  readonly connectionId: string;
  readonly caps: Caps;
  /** Latest time at which starting still helps, in milliseconds since 1970. */
  readonly startBy: number;
  /** Latest time at which the request ends, in milliseconds since 1970. */
  readonly endBy: number;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The outcome. `none`: no turn came in time, because of that cap, or because the database that counts turns is down. */
export type Turn =
  | { readonly kind: 'taken'; end(): void }
  | { readonly kind: 'none'; readonly cap: 'concurrency' | 'rate' | 'uncounted'; readonly retryAfterSeconds: number }
  | { readonly kind: 'cancelled' };

export interface Turns {
  /** Waits for a turn, which the caller must end. First come, first served, within this process. */
  take(request: TurnRequest): Promise<Turn>;
  /** Resolves when all ended turns have been given back. */
  settle(): Promise<void>;
}

interface TurnsDependencies {
  readonly slots: Slots;
  readonly rates: Rates;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called with why a slot was not given back (it expires by itself), or why a turn could not be counted. */
  readonly onError: (error: unknown) => void;
}

const SLOT_GRACE_MS = 1000;
/** A guess: how long others hold a slot is unknown. */
const BUSY_RETRY_SECONDS = 2;
/** Long enough for a database to fail over. */
const AWAY_RETRY_SECONDS = 5;

/** Creates turns that all gateways on the store share; SQLite serves one process. */
export function createTurns(
  { db, dialect }: Pick<Store, 'db' | 'dialect'>,
  options: Pick<TurnsDependencies, 'now' | 'onError'>,
): Turns {
  return dialect === 'sqlite'
    ? makeTurns({ ...options, slots: createLocalSlots(), rates: createLocalRates() })
    : makeTurns({ ...options, slots: createSharedSlots(db, options.now), rates: createSharedRates(db) });
}

/** Creates turns from these slots and rates. */
export function makeTurns(deps: TurnsDependencies): Turns {
  const queues = new Map<string, Promise<void>>();
  const releasing = new Set<Promise<void>>();
  const release = (giveBack: GiveBack): void => {
    const done = giveBack()
      .catch(deps.onError)
      .finally(() => releasing.delete(done));
    releasing.add(done);
  };

  return {
    async take(request) {
      const stop = new AbortController();
      const cancel = () => stop.abort();
      const timer = setTimeout(cancel, Math.max(0, request.startBy - deps.now()));
      request.signal.addEventListener('abort', cancel, { once: true });
      if (request.signal.aborted) cancel();
      try {
        const { connectionId } = request;
        const before = queues.get(connectionId) ?? Promise.resolve();
        const admitted = before.then(() => admit(request, stop.signal, deps, release));
        const after = admitted.then(ignore, ignore);
        queues.set(connectionId, after);
        void after.then(() => queues.get(connectionId) === after && queues.delete(connectionId));
        const turn = await Promise.race([admitted, aborted(stop.signal)]);
        if (turn !== null) return turn;
        admitted.then((late) => late.kind === 'taken' && late.end(), ignore);
        return gaveUp(request, request.caps.concurrency === undefined ? 'rate' : 'concurrency');
      } catch (error) {
        if (!isStoreOutage(error)) throw error;
        deps.onError(error);
        return { kind: 'none', cap: 'uncounted', retryAfterSeconds: AWAY_RETRY_SECONDS };
      } finally {
        clearTimeout(timer);
        request.signal.removeEventListener('abort', cancel);
      }
    },
    async settle() {
      await Promise.all(releasing);
    },
  };
}

/** Waits, for the first in the queue, for a slot and then for the rate. */
async function admit(
  request: TurnRequest,
  signal: AbortSignal,
  { slots, rates, now }: TurnsDependencies,
  release: (giveBack: GiveBack) => void,
): Promise<Turn> {
  const { connectionId, caps, startBy, endBy } = request;
  const { concurrency: count, rate } = caps;
  let giveBack: GiveBack | null = null;
  while (count !== undefined && !signal.aborted) {
    const taken = slots.take({ connectionId, count, until: endBy + SLOT_GRACE_MS });
    // Awaiting a plain value could miss a slot of this process that comes free meanwhile.
    giveBack = taken instanceof Promise ? await taken : taken;
    if (giveBack !== null) break;
    await slots.wait(connectionId, signal);
  }
  const held = giveBack;
  const end = () => held !== null && release(held);
  try {
    while (rate !== undefined && !signal.aborted) {
      const waitMs = await rates.consume(connectionId, rate);
      if (waitMs === 0) break;
      if (now() + waitMs > startBy) {
        end();
        return { kind: 'none', cap: 'rate', retryAfterSeconds: Math.ceil(waitMs / 1000) };
      }
      await delay(waitMs, undefined, { signal }).catch(ignore);
    }
  } catch (error) {
    end();
    throw error;
  }
  if (!signal.aborted) return { kind: 'taken', end };
  end();
  return gaveUp(request, held === null && count !== undefined ? 'concurrency' : 'rate');
}

function gaveUp({ signal }: TurnRequest, cap: 'concurrency' | 'rate'): Turn {
  return signal.aborted ? { kind: 'cancelled' } : { kind: 'none', cap, retryAfterSeconds: BUSY_RETRY_SECONDS };
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

function ignore(): void {}
