/** Progress of calls that take long (MCP, Progress), so that clients and proxies keep waiting. */

import { type HttpExchange, STREAM_HEADERS } from '../http/exchange.ts';

/** When a call is reported on. */
export interface ProgressTiming {
  /** How long an answer may take without any report, in milliseconds. */
  readonly afterMs: number;
  /** How often it is reported on from then on, in milliseconds. */
  readonly everyMs: number;
}

/** Shorter than the idle limits of common proxies and clients; long enough that a usual call is answered as plain JSON. */
export const PROGRESS_TIMING: ProgressTiming = { afterMs: 2_000, everyMs: 5_000 };

/** A call whose client asked for progress. */
export interface WatchedCall {
  readonly progressToken: string | number;
  /** Its tool, by name. */
  readonly name: string;
}

/** `params` of `notifications/progress`: `progress` counts seconds, so it grows, and has no `total`. */
export interface ProgressParams {
  readonly progressToken: string | number;
  readonly progress: number;
  readonly message: string;
}

/** One message on an event stream. @param text JSON without line breaks. */
export function toEvent(text: string): string {
  return `event: message\ndata: ${text}\n\n`;
}

/** Reports again and again that a call is in progress, until it is stopped. */
export function reportWhileWaiting(
  call: WatchedCall,
  timing: ProgressTiming,
  report: (params: ProgressParams) => void,
): () => void {
  const start = performance.now();
  const say = (): void => {
    const ms = Math.round(performance.now() - start);
    const message = `Waiting for the service behind ${call.name}: ${Math.round(ms / 1000)} s.`;
    report({ progressToken: call.progressToken, progress: ms / 1000, message });
    timer = setTimeout(say, timing.everyMs);
  };
  let timer = setTimeout(say, timing.afterMs);
  return () => clearTimeout(timer);
}

/**
 * An answer that becomes an event stream when it takes long (MCP, Streamable HTTP, Sending Messages to the Server).
 *
 * `end` must follow, whatever happens.
 */
export class LateStream {
  readonly #exchange: HttpExchange;
  readonly #stop: () => void;
  #isOpen = false;

  constructor(exchange: HttpExchange, call: WatchedCall, timing: ProgressTiming) {
    this.#exchange = exchange;
    this.#stop = reportWhileWaiting(call, timing, (params) => {
      this.#open();
      this.#write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }));
    });
    exchange.response.once('close', this.#stop);
  }

  /** No report comes after this. @returns whether the stream is open, so that the answer belongs on it. */
  end(): boolean {
    this.#stop();
    return this.#isOpen;
  }

  /** Sends the answer on the open stream, and ends it. @param text JSON without line breaks. */
  finish(text: string): void {
    this.#write(text);
    this.#exchange.response.end();
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const { 'content-type': type, ...headers } = STREAM_HEADERS;
    this.#exchange.addHeaders(headers);
    this.#exchange.begin(200, type);
  }

  #write(text: string): void {
    this.#exchange.response.write(toEvent(text));
  }
}

/** Whether a client takes an event stream for an answer. */
export function acceptsEvents(accept: string | undefined): boolean {
  return accept?.includes('text/event-stream') === true;
}
