/**
 * The event streams on which pages of the dashboard follow calls.
 *
 * While a stream is open, its process asks the store for calls that have ended, so that those of every node are found. Nothing runs while no one
 * follows.
 */

import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { PageError } from '../../../base/pages/page-errors.ts';
import type { CallSearch, FoundCall } from '../../../base/store/reports/call-search.ts';
import { findMatchingCalls, listEndedCalls } from '../../../base/store/reports/ended-calls.ts';
import type { AdminContext } from '../context.ts';
import { findLiveSessions } from '../stored-operators.ts';

/** Limits of open streams. */
export interface CallStreamLimits {
  /** Interval at which the store is asked, in milliseconds. */
  readonly checkMs: number;
  /** Interval at which something is sent so that no proxy closes the connection, in milliseconds. */
  readonly aliveMs: number;
  /** Longest time that a stream is open, in milliseconds. */
  readonly lifetimeMs: number;
  /** Streams of one session at this process. */
  readonly perSession: number;
  /** Streams at this process. */
  readonly total: number;
  /** Bytes that wait for a reader. A slower one is disconnected. */
  readonly unsentBytes: number;
}

export const CALL_STREAM_LIMITS: CallStreamLimits = {
  checkMs: 1_500,
  aliveMs: 15_000,
  lifetimeMs: 3_600_000,
  perSession: 3,
  total: 20,
  unsentBytes: 262_144,
};

/** Time for which a call that has ended may be on its way to the store, and by which clocks of nodes may differ. */
const LATE_MS = 15_000;

/** Calls that are looked for in one check: more than `LATE_MS` of a busy gateway. */
const MAX_KNOWN = 5_000;
/** New calls of one check that are compared with the filters. */
const MAX_NEW = 1_000;
/** Calls that one event shows. */
const MAX_SHOWN = 50;

/** Time after which a browser connects again, in milliseconds. */
const RETRY_MS = 5_000;

interface CallStream {
  readonly response: ServerResponse;
  readonly log: Logger;
  readonly sessionId: string;
  readonly search: CallSearch;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
  /** Milliseconds since 1970. */
  sentAt: number;
}

/** The request of a stream. Its headers are set and not sent. */
interface StreamRequest {
  readonly response: ServerResponse;
  readonly log: Logger;
  readonly sessionId: string;
  /** The calls that it follows. */
  readonly search: CallSearch;
}

/** The streams of one process. */
export class CallStreams {
  readonly #deps: AdminContext;
  readonly #limits: CallStreamLimits;
  /** Shows calls as rows of the page. */
  readonly #show: (calls: readonly FoundCall[]) => string;
  readonly #open = new Set<CallStream>();
  /** Row ids of the last check. */
  #known: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    deps: AdminContext,
    show: (calls: readonly FoundCall[]) => string,
    limits: Partial<CallStreamLimits> = {},
  ) {
    this.#deps = deps;
    this.#show = show;
    this.#limits = { ...CALL_STREAM_LIMITS, ...limits };
    // Without an event for the end: the browser connects again, to a gateway that has started meanwhile.
    deps.stopping.addEventListener('abort', () => this.#forEach(({ response }) => response.end()), { once: true });
  }

  /**
   * Opens a stream, and returns a function that sends calls on it. A page must ignore calls that it shows already: some are sent twice.
   *
   * @throws {PageError} 429 if there are too many, 503 if the gateway stops.
   */
  open({ response, log, sessionId, search }: StreamRequest): (calls: readonly FoundCall[]) => void {
    this.#refuse(sessionId);
    const now = this.#deps.now();
    const stream = { response, log, sessionId, search, endsAt: now + this.#limits.lifetimeMs, sentAt: now };
    this.#open.add(stream);
    response.once('close', () => this.#remove(stream));
    response.flushHeaders();
    response.write(`retry: ${RETRY_MS}\n\n`);
    this.#timer ??= this.#startTimer();
    return (calls) => {
      if (this.#open.has(stream)) this.#sendCalls(stream, calls, false);
    };
  }

  #refuse(sessionId: string): void {
    if (this.#deps.stopping.aborted) throw refusal(503, 'The gateway stops.', 'Open the page again in a moment.');
    const { perSession, total } = this.#limits;
    const advice = 'Close another page that follows calls, or reload the list from time to time.';
    const ofSession = [...this.#open].filter((stream) => stream.sessionId === sessionId).length;
    if (ofSession >= perSession)
      throw refusal(429, `This session follows calls on ${perSession} pages already.`, advice);
    if (this.#open.size >= total)
      throw refusal(429, `The gateway has ${total} pages that follow calls already.`, advice);
  }

  #remove(stream: CallStream): void {
    this.#open.delete(stream);
    if (this.#open.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#known = new Set();
  }

  #startTimer(): NodeJS.Timeout {
    return setTimeout(() => void this.#check(), this.#limits.checkMs).unref();
  }

  async #check(): Promise<void> {
    const timer = this.#timer;
    try {
      await this.#endStreams();
      await this.#sendNewCalls();
    } catch (error) {
      // The store may be away: the next check asks again.
      for (const { log } of [...this.#open].slice(0, 1)) log.debug({ err: error }, 'calls could not be followed');
    }
    // Another timer has started if the last stream ended meanwhile, and a new one began.
    if (this.#timer === timer && timer !== undefined) this.#timer = this.#startTimer();
  }

  /** Ends the streams of sessions that are over, and those that were open for long. */
  async #endStreams(): Promise<void> {
    const now = this.#deps.now();
    const sessionIds = [...new Set([...this.#open].map(({ sessionId }) => sessionId))];
    if (sessionIds.length === 0) return;
    const liveSessions = await findLiveSessions(this.#deps.db, sessionIds, now);
    this.#forEach((stream) => {
      if (!liveSessions.has(stream.sessionId)) this.#end(stream, 'Live updates have stopped: your session has ended.');
      else if (now >= stream.endsAt) this.#end(stream, 'Live updates have stopped.');
    });
  }

  async #sendNewCalls(): Promise<void> {
    const { db, now } = this.#deps;
    const endedCalls = await listEndedCalls(db, now() - LATE_MS, MAX_KNOWN);
    const newCalls = endedCalls.filter((id) => !this.#known.has(id));
    this.#known = new Set(endedCalls);
    const compared = newCalls.slice(0, MAX_NEW);
    for (const stream of this.#open) {
      const calls =
        compared.length === 0 ? [] : await findMatchingCalls(db, compared, { ...stream.search, limit: MAX_SHOWN + 1 });
      const isCut = calls.length > MAX_SHOWN || newCalls.length > MAX_NEW;
      if (calls.length > 0) this.#sendCalls(stream, calls.slice(0, MAX_SHOWN), isCut);
      else if (now() - stream.sentAt >= this.#limits.aliveMs) this.#write(stream, ':\n\n');
    }
  }

  /** @param isCut true if more calls ended than are sent. */
  #sendCalls(stream: CallStream, calls: readonly FoundCall[], isCut: boolean): void {
    this.#write(stream, toEvent('calls', { rows: this.#show(calls), isCut }));
  }

  #end(stream: CallStream, reason: string): void {
    this.#write(stream, toEvent('end', reason));
    stream.response.end();
  }

  #write(stream: CallStream, text: string): void {
    const { response } = stream;
    if (response.writableEnded) return;
    if (response.writableLength > this.#limits.unsentBytes) {
      response.destroy();
      return;
    }
    stream.sentAt = this.#deps.now();
    response.write(text);
  }

  #forEach(work: (stream: CallStream) => void): void {
    for (const stream of [...this.#open]) work(stream);
  }
}

/** JSON has no line breaks, so the data is one line. */
function toEvent(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function refusal(status: number, text: string, advice: string): PageError {
  return new PageError(status, { title: 'Calls cannot be followed', text, advice });
}
