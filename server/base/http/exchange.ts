/** A request and its answer, for routes that are served on Node's own objects. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';

export const JSON_UTF8 = 'application/json; charset=utf-8';

/** Headers of an event stream: no proxy may buffer it. */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** What an exchange is created from. */
interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Identifies the request in the log, in its answer (`X-Request-Id`) and in its call record. */
  readonly requestId: string;
  /** The host that the client asked for, with its port. */
  readonly host: string;
  readonly log: Logger;
  /** Headers of every answer: names and values in turn. */
  readonly headers: readonly string[];
}

/** A request and its answer. Keeps nothing once the answer is sent. */
export class HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly host: string;
  /** When the request arrived, in milliseconds of `performance.now()`. */
  readonly startedAt = performance.now();
  readonly #log: Logger;
  readonly #headers: string[];
  #ownLog: Logger | undefined;
  #abort: AbortController | undefined;
  #isAbandoned = false;

  constructor({ request, response, requestId, host, log, headers }: ExchangeParts) {
    this.request = request;
    this.response = response;
    this.requestId = requestId;
    this.host = host;
    this.#log = log;
    this.#headers = [...headers];
    response.once('close', () => {
      if (response.writableFinished) return;
      this.#isAbandoned = true;
      this.#abort?.abort();
    });
  }

  /** Adds the request id to every line. */
  get log(): Logger {
    this.#ownLog ??= this.#log.child({ requestId: this.requestId });
    return this.#ownLog;
  }

  /** Aborts when the client disconnects before it has its answer. */
  get disconnected(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#isAbandoned) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  /** Adds headers to the answer. */
  addHeaders(headers: Readonly<Record<string, string>>): void {
    for (const name of Object.keys(headers)) this.#headers.push(name, String(headers[name]));
  }

  /** Sends an answer without a body. */
  sendEmpty(status: number): void {
    this.response.writeHead(status, this.#headers).end();
  }

  /** Sends a complete answer in UTF-8. */
  send(status: number, contentType: string, body: string): void {
    const length = Buffer.byteLength(body);
    this.#headers.push('Content-Type', contentType, 'Content-Length', String(length));
    // ASCII text is the same bytes in both encodings, and Node writes latin1 faster.
    this.response.writeHead(status, this.#headers).end(body, length === body.length ? 'latin1' : 'utf8');
  }

  /** Sends a complete answer from several buffers, without copying them. */
  sendPieces(status: number, contentType: string, pieces: readonly Uint8Array[]): void {
    const length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
    this.#headers.push('Content-Type', contentType, 'Content-Length', String(length));
    this.response.cork();
    this.response.writeHead(status, this.#headers);
    for (const piece of pieces) this.response.write(piece);
    this.response.end();
    this.response.uncork();
  }

  /** Begins an answer that is written in parts. */
  begin(status: number, contentType: string): void {
    this.#headers.push('Content-Type', contentType);
    this.response.writeHead(status, this.#headers);
  }

  /** Hands the answer to code that only knows Node's response. */
  handOver(): ServerResponse {
    for (let index = 0; index + 1 < this.#headers.length; index += 2) {
      this.response.appendHeader(this.#headers[index] ?? '', this.#headers[index + 1] ?? '');
    }
    return this.response;
  }
}
