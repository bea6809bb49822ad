/** Sends one request to an upstream, with deadline, redirects and one retry, and reads the answer into memory. */

import type { Dispatcher } from 'undici';
import type { Wait } from '../../base/with-timeout.ts';
import { type AnswerLimits, AnswerReader, type UpstreamAnswer } from './answer.ts';
import { type CredentialWriter, withCredentialQuery } from './credential.ts';
import { toUpstreamFailure, UpstreamFailure } from './failures.ts';
import { parseRetryAfter } from './retry-after.ts';

/** A request on the wire. */
export interface OutgoingRequest {
  readonly method: Dispatcher.HttpMethod;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | null;
  /** True if the tool only reads. A GET of another tool changes something, and is not repeated. */
  readonly isReading: boolean;
}

/** Sends one request with these additional headers. The request's own headers take precedence. @throws {UpstreamFailure} */
export type SendWith = (headers: Readonly<Record<string, string>>) => Promise<UpstreamAnswer>;

/** Options of one call. */
interface SendOptions extends AnswerLimits {
  readonly dispatcher: Dispatcher;
  /** Parameters of the credential, which are added to the target, also after a redirect. */
  readonly credentialQuery: CredentialWriter['query'];
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Covers the whole call: redirects, retry and body. */
  readonly timeoutMs: number;
  /** Runs around each request that is sent. Default: none. */
  readonly around?: ((send: SendWith) => Promise<UpstreamAnswer>) | undefined;
  /** Called when a request is about to be written to its connection. Default: no call. */
  readonly onSending?: () => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly wait: Wait;
}

const MAX_REDIRECTS = 3;
const MAX_RETRY_WAIT_SECONDS = 2;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
const SEE_OTHER = 303;
/** A HEAD announces the size of a body that does not come (RFC 9110 §9.3.2). */
const UNLIMITED: AnswerLimits = { maxResultBytes: Number.POSITIVE_INFINITY, maxErrorBytes: Number.POSITIVE_INFINITY };
/** Methods that change nothing, unless their tool says otherwise. */
const REPEATED: ReadonlySet<string> = new Set(['GET', 'QUERY']);
const REDIRECTED: ReadonlySet<string> = new Set([...REPEATED, 'HEAD']);
const RETRY_STATUSES = new Set([429, 502, 503]);

/**
 * Sends the request and reads the answer to its end.
 *
 * A GET or QUERY that only reads is sent a second time after a reset, or after 429, 502 or 503 with a `Retry-After` of at most two seconds. A GET,
 * HEAD or QUERY is redirected within the same origin only; a QUERY keeps its method and body, except after 303, which is followed
 * with GET. A 303 to any other method is the answer: it says where the outcome of a request is that was processed (RFC 9110 §15.4.4).
 *
 * @throws {UpstreamFailure} when there is no usable answer.
 */
export async function send(request: OutgoingRequest, options: SendOptions): Promise<UpstreamAnswer> {
  const stop = new Stop(options.signal, options.timeoutMs);
  const endsAt = options.now() + options.timeoutMs;
  try {
    for (let mayRepeat = request.isReading && REPEATED.has(request.method); ; mayRepeat = false) {
      let answer: UpstreamAnswer | null = null;
      try {
        answer = await followRedirects(request, options, stop);
      } catch (error) {
        const failure = stop.failure ?? toUpstreamFailure(error);
        if (failure.kind !== 'reset' || !mayRepeat) throw failure;
      }
      if (answer === null) continue;
      if (!mayRepeat || !RETRY_STATUSES.has(answer.status)) return answer;
      const waitMs = retryDelay(answer, options.now(), endsAt);
      if (waitMs === null) return answer;
      if (waitMs > 0) await options.wait(waitMs, options.signal);
    }
  } catch (error) {
    throw stop.failure ?? (options.signal.aborted ? new UpstreamFailure('cancelled') : toUpstreamFailure(error));
  } finally {
    stop.end();
  }
}

async function followRedirects(original: OutgoingRequest, options: SendOptions, stop: Stop): Promise<UpstreamAnswer> {
  let request = original;
  let bare = request.target;
  const { credentialQuery } = options;
  for (let redirects = 0; ; redirects += 1) {
    const target = credentialQuery.length === 0 ? bare : withCredentialQuery(bare, credentialQuery);
    const sent = { ...request, target };
    const answer = await (options.around === undefined
      ? exchange(sent, options, stop)
      : options.around((headers) => exchange({ ...sent, headers: { ...headers, ...sent.headers } }, options, stop)));
    const location = REDIRECT_STATUSES.has(answer.status) ? answer.header('location') : null;
    if (location === null) return answer;
    if (answer.status === SEE_OTHER && !REDIRECTED.has(request.method)) return answer;
    const here = new URL(target, request.origin);
    const there = URL.parse(location, here);
    if (!REDIRECTED.has(request.method) || there?.origin !== here.origin || redirects === MAX_REDIRECTS) {
      throw new UpstreamFailure('redirect', { status: answer.status });
    }
    if (answer.status === 303 && request.method === 'QUERY') request = toGet(request);
    bare = there.pathname + there.search;
  }
}

function toGet(request: OutgoingRequest): OutgoingRequest {
  const { 'content-type': _, ...headers } = request.headers;
  return { ...request, method: 'GET', headers, body: null };
}

function exchange(request: OutgoingRequest, options: SendOptions, stop: Stop): Promise<UpstreamAnswer> {
  const { method, origin, target, headers, body } = request;
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
  const limits = method === 'HEAD' ? UNLIMITED : options;
  const reader = new AnswerReader(limits, resolve, reject, options.onSending);
  stop.reader = reader;
  if (stop.failure !== null) reader.abort(stop.failure);
  options.dispatcher.dispatch({ method, origin, path: target, headers, body }, reader);
  return promise;
}

/** Returns the milliseconds until a request is sent again. Returns null if that is too long. */
function retryDelay(first: UpstreamAnswer, now: number, endsAt: number): number | null {
  const seconds = parseRetryAfter(first.header('retry-after'), now);
  if (seconds === null || seconds > MAX_RETRY_WAIT_SECONDS) return null;
  return now + seconds * 1000 < endsAt ? seconds * 1000 : null;
}

/** Watches the deadline and the client of one call. `end` must follow. */
class Stop {
  /** The reason why the call was stopped. Null if it was not. */
  failure: UpstreamFailure | null = null;
  /** Reads the answer to the request in progress, and is aborted when the call is stopped. */
  reader: AnswerReader | null = null;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #cancel = (): void => this.#stop(new UpstreamFailure('cancelled'));

  /** @param signal aborts when the client disconnects. */
  constructor(signal: AbortSignal, timeoutMs: number) {
    this.#signal = signal;
    this.#timer = setTimeout(() => this.#stop(new UpstreamFailure('timeout', { limit: timeoutMs })), timeoutMs);
    if (signal.aborted) this.#cancel();
    else signal.addEventListener('abort', this.#cancel, { once: true });
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#cancel);
  }

  #stop(failure: UpstreamFailure): void {
    this.failure ??= failure;
    this.reader?.abort(this.failure);
  }
}
