/** A request and its answer on Node's own objects: reading a body, sending an answer. */

import { isAscii } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { BODY_SENDERS } from './body-budget.ts';
import { RequestError } from './errors.ts';

export const JSON_UTF8 = 'application/json; charset=utf-8';

/** Headers of an event stream: no proxy may buffer it. */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** The parts that an exchange is created from. */
interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Identifies the request in the log, in its answer (`X-Request-Id`) and in its call record. */
  readonly requestId: string;
  /** Time at which the request arrived, in milliseconds of `performance.now()`. */
  readonly startedAt: number;
  /** The host that the client asked for, with its port. */
  readonly host: string;
  readonly log: Logger;
  /** Headers of every answer: names and values in turn. The exchange adds its own to them. */
  readonly headers: string[];
}

/** A request and its answer. Keeps nothing once the answer is sent. */
export class HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly host: string;
  /** Time at which the request arrived, in milliseconds of `performance.now()`. */
  readonly startedAt: number;
  readonly #log: Logger;
  readonly #headers: string[];
  #ownLog: Logger | undefined;
  #abort: AbortController | undefined;

  constructor({ request, response, requestId, startedAt, host, log, headers }: ExchangeParts) {
    this.request = request;
    this.response = response;
    this.requestId = requestId;
    this.startedAt = startedAt;
    this.host = host;
    this.#log = log;
    this.#headers = headers;
  }

  /** Adds the request id to every line. */
  get log(): Logger {
    this.#ownLog ??= this.#log.child({ requestId: this.requestId });
    return this.#ownLog;
  }

  /** Aborts when the client disconnects before it has its answer. */
  get disconnected(): AbortSignal {
    if (this.#abort === undefined) {
      const { response } = this;
      const abort = new AbortController();
      const onClose = (): void => {
        if (!response.writableFinished) abort.abort();
      };
      if (response.closed) onClose();
      else response.once('close', onClose);
      this.#abort = abort;
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

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The limits of a request's body on one route. */
interface BodyOptions {
  readonly maxBytes: number;
  /** Accepted media types, lower case, without parameters. */
  readonly mediaTypes: readonly string[];
  /** Decides by the first `bytes` of a longer body whether the rest is read: `check` throws what refuses it. Default: it is. */
  readonly longer?: { readonly bytes: number; check(beginning: Buffer): void };
}

/** The beginning of a body counts as little as its headers, so that small requests are answered whatever others send. */
const UNCOUNTED_BYTES = 16 * 1024;

/**
 * Reads the body as text.
 *
 * @throws {RequestError} `payload_too_large` (413, after the rest was read and dropped; see `dropBody`),
 * `unsupported_media_type` (415: media type, charset or content coding), `invalid_request` (400: cut off, or not UTF-8),
 * `temporarily_unavailable` (503: see `BodyBudget`).
 */
export async function readText(request: IncomingMessage, options: BodyOptions): Promise<string> {
  return decodeText(await readBytes(request, options));
}

/** The sender of a body that takes longer, in milliseconds, is authenticated again: it may have lost its access meanwhile. */
export const SLOW_BODY_MS = 1_000;

/**
 * Reads the body as bytes.
 *
 * @throws {RequestError} as `readText`, except for UTF-8.
 */
export async function readBytes(request: IncomingMessage, options: BodyOptions): Promise<Buffer> {
  const { maxBytes, mediaTypes, longer } = options;
  const {
    'content-type': contentType = '',
    'content-encoding': coding,
    'content-length': length = 0,
  } = request.headers;
  if (!mediaTypes.includes(contentType)) checkMediaType(contentType, mediaTypes);
  if (coding !== undefined) checkContentCoding(coding);

  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const sender = BODY_SENDERS.get(request);
  let buffer: Buffer = NOTHING;
  let received = 0;
  const onData = (chunk: Buffer): void => {
    const before = received;
    received += chunk.length;
    try {
      if (received > maxBytes) throw tooLarge(maxBytes);
      const counted = received - Math.max(before, UNCOUNTED_BYTES);
      if (counted > 0) sender?.budget.take(sender, counted, maxBytes);
      buffer = before === 0 ? chunk : append(buffer, before, chunk);
      if (longer !== undefined && before <= longer.bytes && received > longer.bytes) {
        longer.check(buffer.subarray(0, longer.bytes));
      }
    } catch (error) {
      refuse(error);
    }
  };
  const onEnd = (): void => {
    request.off('close', onBroken);
    resolve(buffer.subarray(0, received));
    buffer = NOTHING;
  };
  const refuse = (error: unknown): void => {
    request.off('data', onData).off('end', onEnd);
    buffer = NOTHING;
    if (sender !== undefined) sender.budget.giveBack(sender);
    void dropBody(request).then(() => reject(error));
  };
  const onBroken = (): void => {
    if (request.readableEnded) return;
    reject(new RequestError(400, 'invalid_request', 'The request body ended before it was complete.'));
  };
  request.on('error', onBroken);
  request.on('close', onBroken);
  if (request.destroyed) onBroken();
  else if (Number(length) > maxBytes) refuse(tooLarge(maxBytes));
  else request.on('data', onData).on('end', onEnd);
  return promise;
}

const NOTHING = Buffer.alloc(0);

/** Appends a chunk to `length` bytes, in one piece: chunks of a few bytes would take a hundred times as much. */
function append(buffer: Buffer, length: number, chunk: Buffer): Buffer {
  const needed = length + chunk.length;
  const target = needed <= buffer.length ? buffer : Buffer.allocUnsafe(2 * needed);
  if (target !== buffer) buffer.copy(target, 0, 0, length);
  chunk.copy(target, length);
  return target;
}

/** @throws {RequestError} `invalid_request` (400) when the bytes are not UTF-8. */
export function decodeText(bytes: Buffer): string {
  // The same text in both encodings, read several times faster.
  if (isAscii(bytes)) return bytes.toString('latin1');
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new RequestError(400, 'invalid_request', 'The request body is not valid UTF-8.');
  }
}

/**
 * Reads a form body (`application/x-www-form-urlencoded`).
 *
 * @throws {RequestError} as `readText`.
 */
export async function readForm(request: IncomingMessage, options: { maxBytes: number }): Promise<URLSearchParams> {
  const mediaTypes = ['application/x-www-form-urlencoded'];
  return new URLSearchParams(await readText(request, { maxBytes: options.maxBytes, mediaTypes }));
}

function checkMediaType(contentType: string, mediaTypes: readonly string[]): void {
  const expected = mediaTypes.join(' or ');
  const [mediaType = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (!mediaTypes.includes(mediaType)) {
    const actualType = mediaType === '' ? 'no Content-Type' : 'another Content-Type';
    throw new RequestError(
      415,
      'unsupported_media_type',
      `The body must be ${expected}; the request has ${actualType}.`,
    );
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && !['utf-8', '"utf-8"', 'utf8', '"utf8"'].includes(charset)) {
    throw new RequestError(415, 'unsupported_media_type', `The body must be ${expected} in UTF-8.`);
  }
}

function checkContentCoding(coding: string): void {
  if (coding.toLowerCase() !== 'identity') {
    throw new RequestError(415, 'unsupported_media_type', 'The body must be sent without a Content-Encoding.');
  }
}

function tooLarge(maxBytes: number): RequestError {
  return new RequestError(413, 'payload_too_large', `The request body is larger than ${maxBytes} bytes.`);
}

/** The limits of reading a body that is not used. */
interface DropLimits {
  readonly bytes: number;
  readonly ms: number;
}

const LIMITS: DropLimits = { bytes: 32 * 1024 * 1024, ms: 5_000 };

/**
 * Drops the rest of a body. Answer when the promise resolves.
 *
 * Many clients send the whole body before they read, and never see the answer if the connection closes meanwhile. So the body is
 * read to its end, up to 32 MiB and five seconds. Of a longer body, the same amount is read after the answer was sent, for
 * clients that read while they send; then the connection is closed.
 */
export async function dropBody(request: IncomingMessage, limits: DropLimits = LIMITS): Promise<void> {
  if (await drop(request, limits)) return;
  void drop(request, limits).then((ended) => {
    if (!ended) request.socket.destroy();
  });
}

/** Bodies that are dropped as fast as they arrive. Beyond that, all together have a chunk read each millisecond. */
const DROPPED_AT_ONCE = 4;
let dropping = 0;

/** Drops a body. @returns true if the body, or its connection, ended within the limits. */
function drop(request: IncomingMessage, limits: DropLimits): Promise<boolean> {
  if (request.readableEnded || request.destroyed) return Promise.resolve(true);
  return new Promise((resolve) => {
    let dropped = 0;
    let pause: NodeJS.Timeout | undefined;
    dropping += 1;
    const settle = (ended: boolean): void => {
      dropping -= 1;
      clearTimeout(timer);
      clearTimeout(pause);
      request.off('data', onData).off('end', onEnd).off('close', onEnd);
      resolve(ended);
    };
    const onData = (chunk: Uint8Array): void => {
      dropped += chunk.byteLength;
      if (dropped > limits.bytes) settle(false);
      else if (dropping > DROPPED_AT_ONCE) {
        request.pause();
        pause = setTimeout(() => request.resume(), dropping);
      }
    };
    const onEnd = (): void => settle(true);
    const timer = setTimeout(() => settle(false), limits.ms);
    request.on('data', onData).on('end', onEnd).on('close', onEnd);
    request.resume();
  });
}
