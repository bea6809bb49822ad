/** The `fetch` of the MCP client: every request goes through the gateway's dispatcher, bounded in bytes and time. */

import { createParser } from 'eventsource-parser';
import type { Dispatcher } from 'undici';
import { fetchThrough } from '../../../base/guarded-fetch/outgoing.ts';
import { UpstreamFailure } from '../failures.ts';
import { Exchange } from './exchange.ts';

/** Options of the requests to MCP servers. */
export interface ExchangeFetchOptions {
  readonly dispatcher: () => Promise<Dispatcher>;
  /** Limit of one answer, in bytes. */
  readonly maxBytes: number;
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Error bodies are read for their message, which is never longer. */
const MAX_ERROR_BYTES = 64 * 1024;
/** Longest time of a request that belongs to no exchange: a notification, or the end of a session. */
const ASIDE_TIMEOUT_MS = 5_000;
const NOTIFICATION = /^\{(?:"jsonrpc":"2\.0",)?"method":"notifications\//;
/** Failures of connecting, before the server has received anything. */
const UNSENT: ReadonlySet<string> = new Set(['unreachable', 'tls']);

/**
 * Creates the `fetch` of the clients of one realm.
 *
 * It follows no redirect, and opens no stream that belongs to no call: a server of 2025 sends what it has in the answers of calls.
 */
export function createExchangeFetch({ dispatcher, maxBytes }: ExchangeFetchOptions): Fetch {
  return async (url, init = {}) => {
    const headers = new Headers(init.headers);
    if (init.method === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 });
    const isAside = init.method === 'DELETE' || (typeof init.body === 'string' && NOTIFICATION.test(init.body));
    const exchange = isAside ? undefined : Exchange.current();
    const signals = [exchange?.signal ?? AbortSignal.timeout(ASIDE_TIMEOUT_MS)];
    // The end of a client must not abort what it sends to end its session.
    if (init.signal && !isAside) signals.push(init.signal);
    let response: Response;
    exchange?.onRequest();
    const { callId, isOfCall } = readRequest(init.body);
    if (exchange !== undefined) exchange.callId = callId ?? exchange.callId;
    try {
      response = await fetchThrough(await dispatcher(), url, { ...init, headers, signal: AbortSignal.any(signals) });
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      if (exchange === undefined) throw cause;
      exchange.onAnswered();
      const failure = exchange.fail(cause);
      if (!UNSENT.has(failure.kind)) exchange.onSent();
      throw failure;
    }
    exchange?.onSent();
    if (response.ok && isOfCall) exchange?.onAccepted();
    const read = await readResponse(response, exchange, { isContinued: init.method === 'GET', maxBytes });
    if (!isStream(read)) exchange?.onAnswered();
    return read;
  };
}

/** The kind of request that an answer is for. */
interface ReadOptions {
  /** True if the request continues a stream. */
  readonly isContinued: boolean;
  readonly maxBytes: number;
}

async function readResponse(
  response: Response,
  exchange: Exchange | undefined,
  { isContinued, maxBytes }: ReadOptions,
): Promise<Response> {
  const { status, headers, body } = response;
  if (status >= 300 && status < 400) {
    await body?.cancel();
    const failure = new UpstreamFailure('redirect', { status });
    throw exchange?.fail(failure) ?? failure;
  }
  if (!response.ok || exchange === undefined) {
    const bytes = await readBytes(body, MAX_ERROR_BYTES, exchange);
    if (exchange !== undefined && isContinued) throw exchange.fail(new UpstreamFailure('reset', { status }));
    if (exchange !== undefined) exchange.refusal = { status, header: (name) => headers.get(name), body: bytes };
    return new Response(mayHaveBody(status) ? new Uint8Array(bytes) : null, { status, headers });
  }
  exchange.refusal = null;
  if (body === null || !mayHaveBody(status)) return response;
  const onTooLarge = () => exchange.fail(new UpstreamFailure('too_large', { status, limit: maxBytes }));
  if (!isStream(response)) {
    const bytes = await readBytes(body, maxBytes, exchange, onTooLarge);
    exchange.readMessage(bytes.toString('utf8'));
    return new Response(new Uint8Array(bytes), { status, headers });
  }
  return new Response(boundStream(body, { maxBytes, onTooLarge, exchange }), { status, headers });
}

/**
 * Reads what a message asks for. `callId`: its id, if its answer is the result of a call; otherwise undefined. `isOfCall`: the server works on the call
 * once it has accepted the message, which calls a tool or brings the user's answers to a task.
 */
function readRequest(body: unknown): { readonly callId: unknown; readonly isOfCall: boolean } {
  if (typeof body !== 'string') return { callId: undefined, isOfCall: false };
  const { method, id } = JSON.parse(body) as { readonly method?: unknown; readonly id?: unknown };
  const callId = method === 'tools/call' || method === 'tasks/result' ? id : undefined;
  return { callId, isOfCall: callId !== undefined || method === 'tasks/update' };
}

/** True for a successful answer whose body is a stream of events. */
function isStream({ ok, headers, body }: Response): boolean {
  return ok && body !== null && /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
}

const mayHaveBody = (status: number): boolean => ![101, 204, 205, 304].includes(status);

/** Reads a body up to a limit. @param onTooLarge fails a longer body. Default: it is cut. */
async function readBytes(
  body: Response['body'],
  maxBytes: number,
  exchange: Exchange | undefined,
  onTooLarge?: () => UpstreamFailure,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = body?.getReader();
  try {
    for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
      chunks.push(read.value.subarray(0, maxBytes - bytes));
      bytes += read.value.byteLength;
      if (bytes <= maxBytes) continue;
      await reader?.cancel();
      if (onTooLarge !== undefined) throw onTooLarge();
      break;
    }
  } catch (error) {
    throw exchange?.fail(error) ?? error;
  }
  return Buffer.concat(chunks);
}

/** Parts of a stream of events. */
interface BoundedStream {
  readonly maxBytes: number;
  readonly onTooLarge: () => UpstreamFailure;
  readonly exchange: Exchange;
}

/** Passes a stream on up to a limit, and shows its messages to the exchange before the client reads them. */
function boundStream(
  body: NonNullable<Response['body']>,
  { maxBytes, onTooLarge, exchange }: BoundedStream,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const events = createParser({ onEvent: ({ data }) => exchange.readMessage(data) });
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          exchange.onAnswered();
          exchange.onStreamEnd();
          return;
        }
        bytes += value.byteLength;
        if (bytes > maxBytes) throw onTooLarge();
        events.feed(decoder.decode(value, { stream: true }));
        controller.enqueue(value);
      } catch (error) {
        controller.error(error);
        exchange.onAnswered();
        exchange.onStreamEnd();
        await reader.cancel().catch(() => {});
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
