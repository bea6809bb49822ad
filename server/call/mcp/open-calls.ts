/** Calls in progress: cancelling those of 2025 clients, and reporting the progress of slow ones. */

import { type HttpExchange, STREAM_HEADERS } from '../../base/http/exchange.ts';

/** A call in progress. `end` must always follow. */
interface OpenCall {
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal;
  end(): void;
}

export interface OpenCalls {
  /** @param client see `clientOf`. @param id of the JSON-RPC request. */
  begin(client: string, id: string | number): OpenCall;
  /**
   * Cancels the call with that id (MCP 2025-11-25, Cancellation).
   *
   * Without a session, only the access token identifies the client, and two windows of one client may share it and use the same
   * ids. So if two calls with that id are in progress, neither is cancelled. Calls of other processes are unknown here,
   * and ignored like calls that have ended.
   *
   * @returns false if no call with that id is in progress at this process.
   */
  cancel(client: string, id: string | number): boolean;
  /** Cancels all calls, when the time for a graceful stop is over. */
  cancelAll(): void;
}

export function createOpenCalls(): OpenCalls {
  const open = new Map<string, Set<AbortController>>();
  const keyOf = (client: string, id: string | number): string => `${client} ${JSON.stringify(id)}`;
  return {
    begin(client, id) {
      const key = keyOf(client, id);
      const call = new AbortController();
      const calls = open.get(key) ?? new Set();
      open.set(key, calls.add(call));
      return {
        signal: call.signal,
        end() {
          if (calls.delete(call) && calls.size === 0) open.delete(key);
        },
      };
    },
    cancel(client, id) {
      const [call, ...others] = open.get(keyOf(client, id)) ?? [];
      if (others.length === 0) call?.abort();
      return call !== undefined;
    },
    cancelAll() {
      for (const calls of open.values()) for (const call of calls) call.abort();
    },
  };
}

/** Identifies a client, as exactly as its request does: by its access token, and by its session if it names one. */
export function clientOf({ request }: HttpExchange, { tokenId }: { readonly tokenId: string }): string {
  const session = request.headers['mcp-session-id'];
  return session === undefined ? tokenId : `${tokenId} ${session}`;
}

/** The times at which progress is reported. */
export interface ProgressTiming {
  /** Time that a call runs before the first report, in milliseconds. */
  readonly afterMs: number;
  /** Time between further reports, in milliseconds. */
  readonly everyMs: number;
}

/** Shorter than the idle limits of common proxies and clients; long enough that most calls are answered as plain JSON. */
export const PROGRESS_TIMING: ProgressTiming = { afterMs: 2_000, everyMs: 5_000 };

/** A call whose client asked for progress. */
export interface WatchedCall {
  readonly progressToken: string | number;
  /** Name of its tool. */
  readonly name: string;
  /** See `CallProgress`. Default: a message which says that the call waits. */
  readonly message?: string | null;
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

/** Reports repeatedly that a call is in progress. @returns a function that stops the reports. */
export function reportWhileWaiting(
  call: WatchedCall,
  timing: ProgressTiming,
  report: (params: ProgressParams) => void,
): () => void {
  const start = performance.now();
  const reportNow = (): void => {
    const ms = Math.round(performance.now() - start);
    const waiting = `Waiting for the service behind ${call.name}: ${Math.round(ms / 1000)} s.`;
    const message = call.message ?? waiting;
    report({ progressToken: call.progressToken, progress: ms / 1000, message });
    timer = setTimeout(reportNow, timing.everyMs);
  };
  let timer = setTimeout(reportNow, timing.afterMs);
  return () => clearTimeout(timer);
}

/**
 * An answer that becomes an event stream when it is slow (MCP, Streamable HTTP, Sending Messages to the Server).
 *
 * `stopReports` must always follow.
 */
export class LateStream {
  readonly #exchange: HttpExchange;
  readonly #stopReports: () => void;
  #isOpen = false;

  /** @param call null if its client did not ask for reports. */
  constructor(exchange: HttpExchange, call: WatchedCall | null, timing: ProgressTiming) {
    this.#exchange = exchange;
    if (call === null) this.#stopReports = () => {};
    else {
      this.#stopReports = reportWhileWaiting(call, timing, (params) =>
        this.send({ method: 'notifications/progress', params }),
      );
      exchange.response.once('close', this.#stopReports);
    }
  }

  /** True once a message was sent. Then the answer must be sent on the stream too. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends a message before the answer. */
  send(message: { readonly method: string; readonly params: object; readonly id?: string }): void {
    this.#open();
    this.#write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  /** Sends something that clients ignore, so that no proxy closes the stream, which must be open. */
  keepAlive(): void {
    this.#exchange.response.write(':\n\n');
  }

  /** Stops the reports. The stream stays as it is. */
  stopReports(): void {
    this.#stopReports();
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

/** Returns true if a client accepts an event stream as an answer. */
export function acceptsEvents(accept: string | undefined): boolean {
  return accept?.includes('text/event-stream') === true;
}
