/** Limits the harm of an upstream that is down or hangs to its own callers: a cap and a circuit breaker for each. */

import { setTimeout as delay } from 'node:timers/promises';
import type { UpstreamAnswer } from '../answer.ts';
import { toUpstreamFailure, UpstreamFailure } from '../failures.ts';
import { Breaker, type BreakerState } from './breaker.ts';
import { type CountedFailure, judgeAnswer, judgeFailure, type Verdict } from './judge.ts';
import { Places, type Wait } from './places.ts';
import type { Caller } from './window.ts';

export type { CountedFailure } from './judge.ts';

/** Which upstream: a service at one of its base URLs. Failures of one say nothing about another. */
export interface CircuitPlace {
  /** Name of the connector. */
  readonly service: string;
  /** Scheme, host and port. */
  readonly origin: string;
}

/** A request to send. */
interface CircuitRequest extends CircuitPlace {
  /** Whose request it is: failures of one caller alone open nothing. Null: no caller influences what is sent. */
  readonly caller: Caller;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Remaining time, in milliseconds. */
  readonly timeoutMs: number;
  /** Full time of such a request, in milliseconds. A timeout after less than half of it says nothing. */
  readonly wholeTimeMs: number;
}

/** The state of one upstream, as this gateway sees it. */
export interface CircuitFigures extends CircuitPlace {
  readonly state: BreakerState;
  /** When the breaker opened or closed last, in milliseconds since 1970; null: it was always closed. */
  readonly since: number | null;
  /** Requests. */
  readonly inFlight: number;
  /** Requests that wait for one of those to end. */
  readonly waiting: number;
  readonly lastFailure: (CountedFailure & { readonly at: number }) | null;
}

/** Lets requests through, or refuses them. Each gateway judges its upstreams on its own. */
export interface Circuits {
  /** @throws {UpstreamFailure} `circuit_open` when a request would be refused now. */
  check(place: CircuitPlace): void;
  /**
   * Sends a request, after a wait of at most five seconds when too many are in progress.
   *
   * @param send receives the remaining time, in milliseconds.
   * @throws {UpstreamFailure} what `send` throws; `circuit_open`, `busy`: nothing was sent.
   */
  run(request: CircuitRequest, send: (timeoutMs: number) => Promise<UpstreamAnswer>): Promise<UpstreamAnswer>;
  /** Every upstream that was called lately. */
  list(): CircuitFigures[];
}

interface CircuitsOptions {
  /** Requests that may be in progress to one upstream; the same number may wait. */
  readonly maxInFlight: number;
  /** Called when a breaker opens or closes. */
  readonly onChange?: (figures: CircuitFigures) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Default: by the system's clock. */
  readonly wait?: Wait;
}

const MAX_WAIT_MS = 5_000;

/** How many upstreams are remembered. One without requests in progress makes way for another. */
const MAX_CIRCUITS = 1_000;

interface Circuit extends CircuitPlace {
  readonly breaker: Breaker;
  readonly places: Places;
  lastFailure: CircuitFigures['lastFailure'];
}

/** Creates circuits of this process alone. */
export function createCircuits({ maxInFlight, onChange, now, wait = waitFor }: CircuitsOptions): Circuits {
  const circuits = new Map<string, Circuit>();
  const circuitOf = ({ service, origin }: CircuitPlace): Circuit => {
    const key = `${service} ${origin}`;
    const known = circuits.get(key);
    if (known !== undefined) return known;
    if (circuits.size >= MAX_CIRCUITS) forgetOne(circuits);
    const places = new Places(maxInFlight, wait);
    const circuit: Circuit = { service, origin, breaker: new Breaker(), places, lastFailure: null };
    circuits.set(key, circuit);
    return circuit;
  };
  const check = ({ breaker }: Circuit): void => {
    const waitMs = breaker.waitMs(now());
    if (waitMs > 0) throw circuitOpen(waitMs);
  };

  return {
    check: (place) => check(circuitOf(place)),
    async run(request, send) {
      const { caller, signal, timeoutMs, wholeTimeMs } = request;
      const circuit = circuitOf(request);
      const { breaker, places } = circuit;
      check(circuit);
      const pass = breaker.pass(now());
      const settle = (verdict: Verdict): void => {
        const at = now();
        if (verdict !== null && verdict !== 'answers') circuit.lastFailure = { ...verdict, at };
        if (!breaker.settle(pass, verdict, caller, at)) return;
        const waitMs = breaker.waitMs(at);
        if (waitMs > 0) places.refuseAll(circuitOpen(waitMs));
        onChange?.(figuresOf(circuit));
      };
      const began = now();
      // A probe does not wait: the requests in progress may hang.
      if (!places.take(pass.isProbe)) await places.takeNext(Math.min(MAX_WAIT_MS, timeoutMs / 2), signal);
      const leftMs = Math.max(0, timeoutMs - (now() - began));
      try {
        const answer = await send(leftMs);
        settle(judgeAnswer(answer));
        return answer;
      } catch (error) {
        const failure = toUpstreamFailure(error);
        settle(judgeFailure(failure, leftMs >= wholeTimeMs / 2));
        throw failure;
      } finally {
        places.free();
      }
    },
    list: () => [...circuits.values()].map(figuresOf),
  };
}

function figuresOf({ service, origin, breaker, places, lastFailure }: Circuit): CircuitFigures {
  const { state, changedAt: since } = breaker;
  return { service, origin, state, since, inFlight: places.taken, waiting: places.waiting, lastFailure };
}

/** Forgets a closed circuit rather than an open one. */
function forgetOne(circuits: Map<string, Circuit>): void {
  const idle = [...circuits].filter(([, { places }]) => places.taken === 0);
  const [key] = idle.find(([, { breaker }]) => breaker.state === 'closed') ?? idle[0] ?? [];
  if (key !== undefined) circuits.delete(key);
}

function circuitOpen(waitMs: number): UpstreamFailure {
  return new UpstreamFailure('circuit_open', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal });
}
