/** Limits the harm of an upstream that is down or hangs to its own callers: a cap and a circuit breaker for each. */

import type { Logger } from 'pino';
import {
  Breaker,
  type BreakerState,
  type Caller,
  type CountedFailure,
  InFlight,
  type Verdict,
} from '../../base/limits/breaker.ts';
import { type Wait, waitFor } from '../../base/with-timeout.ts';
import type { UpstreamAnswer } from './answer.ts';
import { toUpstreamFailure, UpstreamFailure } from './failures.ts';

/** An upstream: a service at one of its base URLs. Failures at one base URL do not count against another. */
export interface CircuitPlace {
  /** Name of the connector. */
  readonly service: string;
  /** Scheme, host and port. */
  readonly origin: string;
}

/** A request to send. */
interface CircuitRequest extends CircuitPlace {
  /** The caller whose request it is. Failures of one caller alone do not open the breaker. Null if no caller influences what is sent. */
  readonly caller: Caller;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Remaining time, in milliseconds. */
  readonly timeoutMs: number;
  /** Full time of such a request, in milliseconds. A timeout after less than half of it is not counted as a failure. */
  readonly wholeTimeMs: number;
}

/** The state of one upstream, as this gateway sees it. */
export interface CircuitFigures extends CircuitPlace {
  readonly state: BreakerState;
  /** Time at which the breaker last opened or closed, in milliseconds since 1970. Null if it was always closed. */
  readonly since: number | null;
  /** Number of requests in progress. */
  readonly inFlight: number;
  /** Number of requests that wait for one in progress to end. */
  readonly waiting: number;
  readonly lastFailure: (CountedFailure & { readonly at: number }) | null;
}

/**
 * Lets requests through, or refuses them. Each gateway judges its upstreams by itself. So does each of its workers, until another worker reports its
 * own figures.
 */
export interface Circuits {
  /** @throws {UpstreamFailure} `circuit_open` when a request would be refused now. */
  check(place: CircuitPlace): void;
  /**
   * Sends a request, after a wait of at most five seconds if too many are in progress.
   *
   * @param send receives the remaining time, in milliseconds.
   * @throws {UpstreamFailure} the errors of `send`. `circuit_open` and `busy` mean that nothing was sent.
   */
  run(request: CircuitRequest, send: (timeoutMs: number) => Promise<UpstreamAnswer>): Promise<UpstreamAnswer>;
  /** Every upstream that was called lately. */
  list(): CircuitFigures[];
}

/** The circuits of the other workers. */
export interface CircuitsOfOthers {
  readonly tell: (figures: CircuitFigures) => void;
  readonly hear: (listener: (figures: CircuitFigures) => void) => void;
}

interface CircuitsOptions {
  /** Requests that may be in progress to one upstream; the same number may wait. */
  readonly maxInFlight: number;
  /** Called when a breaker opens or closes. */
  readonly onChange?: (figures: CircuitFigures) => void;
  /** The other workers of the gateway, which share their figures of upstreams. By default there are none. */
  readonly others?: CircuitsOfOthers;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits for a time. By default it uses the system's clock. */
  readonly wait?: Wait;
}

const MAX_WAIT_MS = 5_000;

/** A guess, because the time that other requests take is unknown. */
const BUSY_RETRY_SECONDS = 5;

/** Maximum of remembered upstreams. Beyond it, an upstream without requests in progress is forgotten. */
const MAX_CIRCUITS = 1_000;

interface Circuit extends CircuitPlace {
  readonly breaker: Breaker;
  readonly inFlight: InFlight;
  lastFailure: CircuitFigures['lastFailure'];
}

/** Creates the circuits of this process. */
export function createCircuits({ maxInFlight, onChange, others, now, wait = waitFor }: CircuitsOptions): Circuits {
  const circuits = new Map<string, Circuit>();
  const begin = ({ service, origin }: CircuitPlace): Circuit => {
    if (circuits.size >= MAX_CIRCUITS) forgetOne(circuits);
    const inFlight = new InFlight(maxInFlight, wait);
    const circuit = { service, origin, breaker: new Breaker(), inFlight, lastFailure: null };
    circuits.set(`${service} ${origin}`, circuit);
    return circuit;
  };
  others?.hear(({ state, lastFailure, ...place }) => {
    const circuit = circuits.get(`${place.service} ${place.origin}`) ?? begin(place);
    circuit.breaker.follow(state, now());
    circuit.lastFailure = lastFailure;
    if (circuit.breaker.waitMs(now()) > 0) circuit.inFlight.refuseAll();
  });
  /** @throws {UpstreamFailure} `circuit_open`. */
  const passableCircuit = (place: CircuitPlace): Circuit => {
    const circuit = circuits.get(`${place.service} ${place.origin}`) ?? begin(place);
    const waitMs = circuit.breaker.waitMs(now());
    if (waitMs > 0) throw circuitOpen(waitMs);
    return circuit;
  };

  return {
    check(place) {
      passableCircuit(place);
    },
    async run(request, send) {
      const { caller, signal, timeoutMs, wholeTimeMs } = request;
      const circuit = passableCircuit(request);
      const { breaker, inFlight } = circuit;
      const pass = breaker.pass(now());
      if (pass.isProbe) others?.tell(figuresOf(circuit));
      const settle = (verdict: Verdict): void => {
        const at = now();
        if (verdict !== null && verdict !== 'answers') circuit.lastFailure = { ...verdict, at };
        if (!breaker.settle(pass, verdict, caller, at)) return;
        const waitMs = breaker.waitMs(at);
        if (waitMs > 0) inFlight.refuseAll();
        others?.tell(figuresOf(circuit));
        onChange?.(figuresOf(circuit));
      };
      const began = now();
      // A probe does not wait: the requests in progress may hang.
      if (!inFlight.begin(pass.isProbe)) {
        // Probes never come here. So a request that ends here without `settle` leaves no probe open.
        const waited = await inFlight.beginLater(Math.min(MAX_WAIT_MS, timeoutMs / 2), signal);
        if (waited === 'refused') throw circuitOpen(breaker.waitMs(now()));
        if (waited === 'cancelled') throw new UpstreamFailure('cancelled');
        if (waited === 'busy') throw new UpstreamFailure('busy', { retryAfterSeconds: BUSY_RETRY_SECONDS });
      }
      const leftMs = Math.max(0, timeoutMs - (now() - began));
      try {
        const answer = await send(leftMs);
        const { status } = answer;
        // Any other answer shows that the upstream works, even if it rejects the request.
        settle(AWAY.has(status) ? { kind: 'status', status, reason: null } : 'answers');
        return answer;
      } catch (error) {
        const failure = toUpstreamFailure(error);
        settle(judgeFailure(failure, leftMs >= wholeTimeMs / 2));
        throw failure;
      } finally {
        inFlight.end();
      }
    },
    list: () => [...circuits.values()].map(figuresOf),
  };
}

function figuresOf({ service, origin, breaker, inFlight, lastFailure }: Circuit): CircuitFigures {
  const { state, changedAt: since } = breaker;
  return { service, origin, state, since, inFlight: inFlight.count, waiting: inFlight.waiting, lastFailure };
}

/** Forgets a closed circuit rather than an open one. */
function forgetOne(circuits: Map<string, Circuit>): void {
  const idle = [...circuits].filter(([, { inFlight }]) => inFlight.count === 0);
  const [key] = idle.find(([, { breaker }]) => breaker.state === 'closed') ?? idle[0] ?? [];
  if (key !== undefined) circuits.delete(key);
}

function circuitOpen(waitMs: number): UpstreamFailure {
  return new UpstreamFailure('circuit_open', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });
}

/** Statuses of gateways in front of an upstream that is down (RFC 9110 §15.6.3 to .5), and Cloudflare's own statuses for it. */
const AWAY = new Set([502, 503, 504, 520, 521, 522, 523, 524]);

/** Codes of answers that are not HTTP at all. Other protocol errors may be caused by the request. */
const GARBAGE = /^HPE_(?!HEADER_OVERFLOW)/;

/** Judges a failed request. @param isPatient true if the upstream had enough time for a request. */
function judgeFailure({ kind, status, reason, isOfGateway }: UpstreamFailure, isPatient: boolean): Verdict {
  if (isOfGateway) return null;
  const counted = { kind, status, reason };
  switch (kind) {
    case 'unreachable':
    case 'tls':
    case 'reset':
      return counted;
    case 'timeout':
      return isPatient ? counted : null;
    case 'protocol':
      return GARBAGE.test(reason ?? '') ? counted : null;
    case 'redirect':
    case 'coding':
    case 'too_large':
      return 'answers';
    default:
      return null;
  }
}

const WORDS: Readonly<Record<string, string>> = {
  timeout: 'no answer in time',
  unreachable: 'cannot be reached',
  tls: 'its TLS is refused',
  reset: 'the connection broke off',
  protocol: 'sends what is not HTTP',
};

/** Describes a failure in a few words, without text of the upstream. */
export function describeFailure({ kind, status, reason }: CountedFailure): string {
  if (kind === 'status') return `answers ${status}`;
  const words = WORDS[kind] ?? kind;
  return reason === null ? words : `${words} (${reason})`;
}

/** Logs that a breaker opened or closed. */
export function reportCircuit(log: Logger, { service, origin, state, lastFailure }: CircuitFigures): void {
  const failure = lastFailure === null ? null : describeFailure(lastFailure);
  if (state === 'closed') log.info({ service, origin }, 'an upstream answers again');
  else
    log.warn(
      { service, origin, failure },
      'an upstream does not answer: its calls are refused, except one every five seconds',
    );
}
