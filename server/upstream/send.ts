/** Sends one request to an upstream: credential, deadline, redirects, one retry, bounded answer. */

import { type Dispatcher, fetch, type Headers, type Request, Response } from 'undici';
import { discard, type ReadableAnswer, readBounded, readTruncated } from './bounded-body.ts';
import { type CredentialWriter, withCredentialCookies, withCredentialQuery } from './credential-writer.ts';
import { toUpstreamFailure, UpstreamFailure } from './failures.ts';
import { parseRetryAfter } from './retry-after.ts';

/** What governs one call. */
export interface SendOptions {
  readonly dispatcher: Dispatcher;
  readonly credential: CredentialWriter;
  /** Aborts when the client went away. */
  readonly signal: AbortSignal;
  /** Covers the whole call: redirects, retry and body. */
  readonly timeoutMs: number;
  /** Limit of a 2xx body, decoded. Over it, the call fails. */
  readonly maxResultBytes: number;
  /** Limit of any other body, decoded. Over it, the body is cut. */
  readonly maxErrorBytes: number;
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits, and rejects when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

type Answer = Awaited<ReturnType<typeof fetch>>;

interface Outgoing {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | null;
}

const MAX_REDIRECTS = 3;
const MAX_RETRY_WAIT_SECONDS = 2;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
const RETRY_STATUSES = new Set([429, 503]);
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * Sends the request and reads the answer to its end.
 *
 * A GET is sent a second time after a reset, or after 429 or 503 with a `Retry-After` of at most two seconds.
 * A GET or HEAD is redirected within the same origin only.
 *
 * @returns an answer whose body is in memory, decoded.
 * @throws {UpstreamFailure} when there is no usable answer.
 */
export async function send(request: Request, options: SendOptions): Promise<Response> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), options.timeoutMs);
  const signal = AbortSignal.any([deadline.signal, options.signal]);
  const endsAt = options.now() + options.timeoutMs;
  try {
    const outgoing = await prepare(request, options);
    const url = new URL(request.url);
    const first = await attempt(url, outgoing, signal, options);
    const waitMs = outgoing.method === 'GET' ? retryDelay(first, options.now(), endsAt) : null;
    if (waitMs === null) return settle(first);
    await options.wait(waitMs, signal);
    return settle(await attempt(url, outgoing, signal, options));
  } catch (error) {
    if (options.signal.aborted) throw new UpstreamFailure('cancelled');
    if (deadline.signal.aborted) throw new UpstreamFailure('timeout', { limit: options.timeoutMs });
    throw toUpstreamFailure(error, options.timeoutMs);
  } finally {
    clearTimeout(timer);
  }
}

async function prepare(request: Request, options: SendOptions): Promise<Outgoing> {
  const headers = request.headers;
  if (!headers.has('accept')) headers.set('accept', 'application/json, */*;q=0.8');
  headers.set('user-agent', options.userAgent);
  const cookies = withCredentialCookies(headers.get('cookie'), options.credential);
  if (cookies !== null) headers.set('cookie', cookies);
  for (const [name, value] of options.credential.headers) headers.set(name, value);
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
  if (body === null) headers.delete('content-type');
  return { method: request.method, headers, body };
}

/** One try: an answer, or the failure that a second try may mend. */
async function attempt(
  url: URL,
  outgoing: Outgoing,
  signal: AbortSignal,
  options: SendOptions,
): Promise<Response | UpstreamFailure> {
  try {
    const answer = await followRedirects(url, outgoing, signal, options);
    const body = answer.ok
      ? await readBounded(answer as ReadableAnswer, options.maxResultBytes)
      : await readTruncated(answer as ReadableAnswer, options.maxErrorBytes);
    return inMemory(answer, body);
  } catch (error) {
    if (signal.aborted) throw error;
    const failure = toUpstreamFailure(error, options.timeoutMs);
    if (failure.kind === 'reset') return failure;
    throw failure;
  }
}

async function followRedirects(
  start: URL,
  outgoing: Outgoing,
  signal: AbortSignal,
  options: SendOptions,
): Promise<Answer> {
  let url = start;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await fetch(withCredentialQuery(url, options.credential), {
      method: outgoing.method,
      headers: outgoing.headers,
      body: outgoing.body,
      redirect: 'manual',
      signal,
      dispatcher: options.dispatcher,
    });
    const location = REDIRECT_STATUSES.has(answer.status) ? answer.headers.get('location') : null;
    if (location === null) return answer;
    await discard(answer as ReadableAnswer);
    const target = URL.canParse(location, url) ? new URL(location, url) : null;
    const safe = outgoing.method === 'GET' || outgoing.method === 'HEAD';
    if (!safe || target?.origin !== start.origin || redirects === MAX_REDIRECTS) {
      throw new UpstreamFailure('redirect', { status: answer.status });
    }
    url = target;
  }
}

function retryDelay(first: Response | UpstreamFailure, now: number, endsAt: number): number | null {
  if (first instanceof UpstreamFailure) return 0;
  if (!RETRY_STATUSES.has(first.status)) return null;
  const seconds = parseRetryAfter(first.headers.get('retry-after'), now);
  if (seconds === null || seconds > MAX_RETRY_WAIT_SECONDS) return null;
  return now + seconds * 1000 < endsAt ? seconds * 1000 : null;
}

function settle(result: Response | UpstreamFailure): Response {
  if (result instanceof UpstreamFailure) throw result;
  return result;
}

function inMemory(answer: Answer, body: Uint8Array): Response {
  if (answer.status > 599) throw new UpstreamFailure('protocol', { reason: 'invalid status' });
  const headers = new Map(answer.headers);
  headers.delete('content-encoding');
  headers.set('content-length', String(body.byteLength));
  const empty = body.byteLength === 0 || WITHOUT_BODY.has(answer.status);
  return new Response(empty ? null : body, { status: answer.status, headers: [...headers] });
}
