/**
 * Tells clients that stay connected when their list of tools has changed: on the GET stream of 2025 (MCP 2025-11-25, Listening for Messages
 * from the Server), and to `subscriptions/listen` (MCP 2026-07-28).
 *
 * While a stream is open, each process asks the store for the tokens of its streams, as a request does. So changes by any node are found, a
 * stream sees only the list of its own token, and nothing runs while no client listens.
 */

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError } from '../../base/http/errors.ts';
import { type HttpExchange, STREAM_HEADERS } from '../../base/http/exchange.ts';
import type { Principal } from '../../base/principal/principal.ts';
import { newId } from '../../base/store/rows.ts';
import type { ToolProvider } from '../tools/provider.ts';
import { INVALID_REQUEST, MessageError, TOO_MANY_REQUESTS } from './json-rpc.ts';
import { acceptsEvents, toEvent } from './open-calls.ts';
import type { Sessions } from './sessions.ts';

/** Limits of open streams. */
export interface StreamLimits {
  /** Interval at which the store is asked, in milliseconds. */
  readonly checkMs: number;
  /** Time after which checks that the store has not answered are repeated, in milliseconds. */
  readonly patienceMs: number;
  /** Interval at which something is sent so that no proxy closes the connection, in milliseconds. */
  readonly aliveMs: number;
  /** Longest time that a stream is open, in milliseconds. */
  readonly lifetimeMs: number;
  /** Streams of one user at this process. */
  readonly perUser: number;
  /** Streams at this process. */
  readonly total: number;
}

export const STREAM_LIMITS: StreamLimits = {
  checkMs: 2_000,
  patienceMs: 3_000,
  aliveMs: 15_000,
  lifetimeMs: 3_600_000,
  perUser: 20,
  total: 1_000,
};

interface StreamsOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Aborted once the gateway has begun to stop. */
  readonly stopping: AbortSignal;
  readonly limits?: Partial<StreamLimits> | undefined;
}

/** The way in which a stream speaks to its client. */
interface StreamWriter {
  /** @param digest of the list as it is now. */
  notify(digest: string): void;
  keepAlive(): void;
  end(): void;
}

export interface OpenStream {
  readonly exchange: HttpExchange;
  readonly userId: string;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
  /** Of the list that the client knows. */
  digest: string;
  /** Number of its last check. */
  check: number;
  /** Undefined until the stream has begun. */
  writer?: StreamWriter;
}

/** Revisions with a GET stream. Older clients wait on one for an event that the gateway does not send. */
const GET_VERSIONS: readonly unknown[] = ['2025-11-25', '2025-06-18', '2025-03-26'];

/** Clients of this revision expect the id of an event before the first message, to resume the stream with it. */
const PRIMED_VERSION = '2025-11-25';
const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

/** Returns true if a request asks for the stream of a client of 2025. */
export function asksForStream({ request: { method, headers } }: HttpExchange): boolean {
  return method === 'GET' && acceptsEvents(headers.accept) && GET_VERSIONS.includes(headers['mcp-protocol-version']);
}

/** The streams of one process. */
export class ListStreams {
  readonly #list: ToolProvider['list'];
  readonly #sessions: { readonly callerNow: Sessions['callerNow'] };
  readonly #options: StreamsOptions;
  readonly #limits: StreamLimits;
  readonly #open = new Set<OpenStream>();
  readonly #digests = new WeakMap<Uint8Array, Buffer>();
  #timer: NodeJS.Timeout | undefined;
  #checks = 0;

  /** Once the gateway begins to stop, every stream ends, and none is opened any more. */
  constructor(
    list: ToolProvider['list'],
    sessions: { readonly callerNow: Sessions['callerNow'] },
    options: StreamsOptions,
  ) {
    this.#list = list;
    this.#sessions = sessions;
    this.#options = options;
    this.#limits = { ...STREAM_LIMITS, ...options.limits };
    options.stopping.addEventListener('abort', () => this.endAll(), { once: true });
  }

  /**
   * Opens the GET stream of a client of 2025. A client that resumes one is told at once if its list has changed since.
   *
   * @throws {MessageError} 405 if there are too many streams, which is the one answer without a stream that the revision knows.
   */
  async openGet(exchange: HttpExchange, principal: Principal): Promise<void> {
    const stream = this.#reserve(exchange, principal, (problem) => {
      return new MessageError(405, INVALID_REQUEST, problem, { headers: { Allow: 'POST' } });
    });
    const { response, request } = exchange;
    const isPrimed = request.headers['mcp-protocol-version'] === PRIMED_VERSION;
    // The id of an event is unique, and says which list the client knows.
    const toId = (digest: string): string => (isPrimed ? `id: ${digest}.${newId()}\n` : '');
    await this.begin(stream, principal, (digest) => {
      const { 'content-type': type, ...headers } = STREAM_HEADERS;
      exchange.addHeaders(headers);
      exchange.begin(200, type);
      // A stream behind a slower answer on its connection ends before it is closed, and nothing may be written between.
      const write = (text: string): void => {
        if (!response.writableEnded) response.write(text);
      };
      write(isPrimed ? `${toId(digest)}data:\n\n` : ':\n\n');
      return {
        notify: (current) => write(toId(current) + toEvent(CHANGED)),
        keepAlive: () => write(':\n\n'),
        end: () => response.end(),
      };
    });
    const lastEventId = request.headers['last-event-id'];
    if (typeof lastEventId === 'string' && lastEventId.split('.')[0] !== stream.digest)
      stream.writer?.notify(stream.digest);
  }

  /**
   * Reserves the place of a `subscriptions/listen` stream. `begin` must follow; the place is free once the exchange has ended.
   *
   * @throws {MessageError} 429 if there are too many streams.
   */
  reserve(exchange: HttpExchange, principal: Principal, id: string | number | null): OpenStream {
    return this.#reserve(exchange, principal, (problem) => {
      return new MessageError(429, TOO_MANY_REQUESTS, problem, { id, headers: { 'Retry-After': RETRY_AFTER } });
    });
  }

  /** Begins a stream. @param open opens it, for a client that knows the list with this digest. */
  async begin(stream: OpenStream, principal: Principal, open: (digest: string) => StreamWriter): Promise<void> {
    stream.digest = await this.#digestOf(principal);
    if (!this.#open.has(stream)) return;
    stream.writer = open(stream.digest);
    if (this.#options.stopping.aborted) return stream.writer.end();
    this.#timer ??= this.#startTimer();
  }

  /** Ends every stream as its revision says. */
  endAll(): void {
    for (const { writer } of this.#open) writer?.end();
  }

  #reserve(exchange: HttpExchange, { userId }: Principal, refuse: (problem: string) => Error): OpenStream {
    const { total, perUser, lifetimeMs } = this.#limits;
    if (this.#options.stopping.aborted) {
      const description = 'The gateway stops. Open the stream again in a moment.';
      throw new RequestError(503, 'temporarily_unavailable', description, { headers: { 'Retry-After': '1' } });
    }
    const ofUser = [...this.#open].filter((stream) => stream.userId === userId).length;
    if (ofUser >= perUser) {
      throw refuse(
        `This user has ${perUser} open streams already. Close one, or list the tools again from time to time.`,
      );
    }
    if (this.#open.size >= total) {
      throw refuse(`The gateway has ${total} open streams already. List the tools again from time to time.`);
    }
    const stream: OpenStream = { exchange, userId, endsAt: this.#options.now() + lifetimeMs, digest: '', check: 0 };
    this.#open.add(stream);
    exchange.response.once('close', () => this.#remove(stream));
    if (exchange.response.closed) this.#remove(stream);
    return stream;
  }

  #remove(stream: OpenStream): void {
    this.#open.delete(stream);
    if (this.#open.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #startTimer(): NodeJS.Timeout {
    return setTimeout(() => void this.#check(), this.#limits.checkMs).unref();
  }

  async #check(): Promise<void> {
    const timer = this.#timer;
    this.#checks += 1;
    const isQuiet = this.#checks % Math.ceil(this.#limits.aliveMs / this.#limits.checkMs) !== 0;
    const checks = Promise.all([...this.#open].map((stream) => this.#checkOne(stream, isQuiet)));
    // A store whose answers are lost on the network is silent for much longer, on that connection only.
    await Promise.race([checks, sleep(this.#limits.patienceMs, undefined, { ref: false })]);
    // Another timer has started if the last stream ended meanwhile, and a new one began.
    if (this.#timer === timer && timer !== undefined) this.#timer = this.#startTimer();
  }

  async #checkOne(stream: OpenStream, isQuiet: boolean): Promise<void> {
    const { exchange, endsAt, writer } = stream;
    if (writer === undefined) return;
    stream.check += 1;
    const { check } = stream;
    try {
      const principal = this.#options.now() < endsAt ? await this.#sessions.callerNow(exchange) : null;
      if (stream.check !== check) return;
      if (principal === null || principal.isSuspended) return writer.end();
      const digest = await this.#digestOf(principal);
      if (stream.check !== check) return;
      if (digest !== stream.digest) {
        stream.digest = digest;
        writer.notify(digest);
      } else if (!isQuiet) writer.keepAlive();
    } catch (error) {
      // The store may be away: the next check asks again.
      exchange.log.debug({ err: error }, 'a stream could not be checked');
    }
  }

  /** Returns a short text that differs for another list. */
  async #digestOf(principal: Principal): Promise<string> {
    const hash = createHash('sha256');
    let cursor: string | null | undefined = null;
    while (cursor !== undefined) {
      const page: Awaited<ReturnType<ToolProvider['list']>> = await this.#list(principal, cursor);
      let digest = this.#digests.get(page.json);
      if (digest === undefined) {
        digest = createHash('sha256').update(page.json).digest();
        this.#digests.set(page.json, digest);
      }
      hash.update(digest);
      cursor = page.nextCursor;
    }
    return hash.digest('base64url').slice(0, DIGEST_LENGTH);
  }
}

const DIGEST_LENGTH = 22;
/** Seconds. */
const RETRY_AFTER = '60';
