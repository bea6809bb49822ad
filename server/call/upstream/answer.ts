/** Reads an upstream's answer into one buffer, decoded and never larger than a limit. */

import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { toUpstreamFailure, UpstreamFailure } from './failures.ts';

/** Status and headers of an answer. */
export interface AnswerHead {
  readonly status: number;
  /** Returns the value of a header, several joined by a comma; null if there is none. @param name lower case. */
  header(name: string): string | null;
}

/** One block of content of an MCP server (MCP `ContentBlock`). */
export interface AnswerBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

/**
 * The reason why a call at an MCP server has no result. `definition_changed`, `tool_gone`, `list_unreadable` (the list of tools is too large or not
 * valid): nothing was sent. `tool_error`, `asks_user`: the server says so, or asks the user; the body has its words.
 */
export type McpProblem = 'definition_changed' | 'tool_gone' | 'list_unreadable' | 'tool_error' | 'asks_user';

/** Questions of an MCP server to the user (MCP 2026-07-28, `InputRequiredResult`). */
export interface McpQuestions {
  /** Parameters of `elicitation/create`, by the server's key. */
  readonly requests: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The server's state of the call, which it gets back with the answers. Undefined if it has none. */
  readonly state: string | undefined;
}

/** A caller whose user can be asked, and what was answered so far. */
export interface McpAnswers {
  /** Value of the client capability `elicitation`. */
  readonly elicitation: Readonly<Record<string, object>>;
  /** Answers by the keys of earlier questions. Undefined for the first request. */
  readonly responses?: Readonly<Record<string, unknown>>;
  /** See `McpQuestions.state`. */
  readonly state?: string | undefined;
}

/** Facts about an answer of an MCP server that no status and no header tells. */
export interface McpOutcome {
  /** Undefined if the tool gave a result. */
  readonly problem?: McpProblem;
  /** The questions of `asks_user`. Undefined if they cannot be passed on. */
  readonly questions?: McpQuestions;
  /** Images, recordings, files and links next to the body. Default: none. */
  readonly blocks?: readonly AnswerBlock[];
  /** True if the tool was called although its definition is not as reviewed. Default: false. */
  readonly isChanged?: boolean;
}

/** An answer, read to its end. */
export interface UpstreamAnswer extends AnswerHead {
  /** The decoded body, at most as long as the limits allow. */
  readonly body: Buffer;
  /** The reason why the body is only the beginning of a stream. Undefined if the body is complete. */
  readonly cutBy?: 'deadline' | 'size';
  /** Undefined if the answer is HTTP. */
  readonly mcp?: McpOutcome;
}

/** Limits on the bytes of an answer, encoded and decoded. */
export interface AnswerLimits {
  /** Limit of a 2xx body. If the body is larger, the call fails. */
  readonly maxResultBytes: number;
  /** Limit of any other body. If the body is larger, it is cut. */
  readonly maxErrorBytes: number;
}

const NOTHING = Buffer.alloc(0);

/** One exchange, as undici's dispatcher reports it. Settles once; later events are ignored. */
export class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #limits: AnswerLimits;
  readonly #resolve: (answer: UpstreamAnswer) => void;
  readonly #reject: (failure: UpstreamFailure) => void;
  readonly #onStart: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #status = 0;
  #isSuccess = false;
  #header: UpstreamAnswer['header'] = () => null;
  #limit = 0;
  #cutBy: UpstreamAnswer['cutBy'];
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    limits: AnswerLimits,
    resolve: (answer: UpstreamAnswer) => void,
    reject: (failure: UpstreamFailure) => void,
    onStart?: () => void,
  ) {
    this.#limits = limits;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onStart = onStart;
  }

  /**
   * Aborts the exchange and its connection.
   *
   * The answer of a stream is the part that arrived before its deadline or within its limit, because some streams never end.
   */
  abort(failure: UpstreamFailure): void {
    const isLimit = failure.kind === 'timeout' || failure.kind === 'too_large';
    if (!this.#settled && isLimit && this.#isSuccess && isStream(this.#header('content-type'))) {
      this.#cutBy = failure.kind === 'timeout' ? 'deadline' : 'size';
      this.#finish();
    }
    if (!this.#settled) {
      this.#settled = true;
      this.#reject(failure);
    }
    this.#controller?.abort(failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new UpstreamFailure('cancelled'));
    else this.#onStart?.();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    if (status > 599) {
      this.abort(new UpstreamFailure('protocol', { reason: 'invalid status' }));
      return;
    }
    this.#status = status;
    this.#isSuccess = status >= 200 && status < 300;
    this.#header = (name) => {
      const value = headers[name] ?? null;
      return Array.isArray(value) ? value.join(', ') : value;
    };
    this.#limit = this.#isSuccess ? this.#limits.maxResultBytes : this.#limits.maxErrorBytes;
    // The limit counts decoded bytes, so the announced size of a compressed body says nothing.
    const coding = this.#header('content-encoding')?.trim().toLowerCase() ?? 'identity';
    const length = coding === 'identity' ? this.#header('content-length') : null;
    const announced = length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
    if (this.#isSuccess && announced !== null && announced > this.#limit) {
      this.abort(new UpstreamFailure('too_large', { status, bytes: announced, limit: this.#limit }));
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    const room = this.#limit - this.#bytes;
    this.#chunks.push(chunk.byteLength <= room ? chunk : chunk.subarray(0, room));
    this.#bytes += Math.min(chunk.byteLength, room);
    if (chunk.byteLength <= room) return;
    if (!this.#isSuccess) this.#finish();
    this.abort(this.#tooLarge());
  }

  onResponseEnd(): void {
    if (!this.#settled) this.#finish();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.abort(toUpstreamFailure(error));
  }

  #finish(): void {
    this.#settled = true;
    const [first = NOTHING] = this.#chunks;
    const body = this.#chunks.length > 1 ? Buffer.concat(this.#chunks, this.#bytes) : first;
    const coding = this.#header('content-encoding');
    if (coding === null || body.byteLength === 0) this.#settle(body);
    else this.#decode(body, coding);
  }

  #decode(body: Buffer, coding: string): void {
    decodeContent(body, { coding, limit: this.#limit, cut: !this.#isSuccess || this.#cutBy !== undefined }).then(
      (decoded) => (decoded === null ? this.#reject(this.#tooLarge()) : this.#settle(decoded)),
      () => this.#reject(new UpstreamFailure('coding', { status: this.#status })),
    );
  }

  #settle(body: Buffer): void {
    const answer = { status: this.#status, header: this.#header, body };
    this.#resolve(this.#cutBy === undefined ? answer : { ...answer, cutBy: this.#cutBy });
  }

  #tooLarge(): UpstreamFailure {
    return new UpstreamFailure('too_large', { status: this.#status, limit: this.#limit });
  }
}

/** `Accept-Encoding` of every request: the codings that `decodeContent` reads. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

/** Maximum of content codings of one answer. No legitimate answer has more. */
const MAX_CODINGS = 5;

const gunzipAsync = promisify(gunzip);
const inflateAsync = promisify(inflate);
const inflateRawAsync = promisify(inflateRaw);
const brotliAsync = promisify(brotliDecompress);

/** Undoes one coding. Returns null for an unknown one. @param isCut true to decode a truncated body as far as possible. */
async function undo(coding: string, body: Buffer, maxOutputLength: number, isCut: boolean): Promise<Buffer | null> {
  const flush = isCut ? constants.Z_SYNC_FLUSH : constants.Z_NO_FLUSH;
  const zlib = { maxOutputLength, flush, finishFlush: isCut ? flush : constants.Z_FINISH };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return gunzipAsync(body, zlib);
    case 'deflate':
      // Some servers send raw deflate instead of the zlib format (RFC 9110 §8.4.1.2, note).
      return ((body[0] ?? 0) & 0x0f) === 0x08 ? inflateAsync(body, zlib) : inflateRawAsync(body, zlib);
    case 'br': {
      const { BROTLI_OPERATION_FLUSH, BROTLI_OPERATION_PROCESS, BROTLI_OPERATION_FINISH } = constants;
      return brotliAsync(body, {
        maxOutputLength,
        flush: isCut ? BROTLI_OPERATION_FLUSH : BROTLI_OPERATION_PROCESS,
        finishFlush: isCut ? BROTLI_OPERATION_FLUSH : BROTLI_OPERATION_FINISH,
      });
    }
    default:
      return null;
  }
}

/**
 * Decodes a body. An unknown coding leaves the bytes as they are, as in browsers.
 *
 * @param options.limit on the decoded bytes, also between two codings.
 * @param options.cut true for an error body, of which a part is enough: one over the limit or broken becomes empty.
 * @returns null if the decoded body is larger than the limit.
 * @throws zlib's error for a body not in its coding.
 */
export async function decodeContent(
  body: Buffer,
  options: { coding: string; limit: number; cut: boolean },
): Promise<Buffer | null> {
  const codings = options.coding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  let decoded = body;
  try {
    if (codings.length > MAX_CODINGS) throw new Error('too many content codings');
    for (const coding of codings.reverse()) {
      const undone = await undo(coding, decoded, options.limit, options.cut);
      if (undone === null) return decoded;
      decoded = undone;
    }
    return decoded;
  } catch (error) {
    if (options.cut) return Buffer.alloc(0);
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  }
}

const STREAMS = new Set([
  'text/event-stream',
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonl',
  'application/jsonlines',
  'application/x-jsonlines',
  'application/stream+json',
  'application/json-seq',
]);

/** Tests whether an answer of this Content-Type is a stream: server-sent events, lines of JSON, or a JSON text sequence (RFC 7464). */
export function isStream(contentType: string | null): boolean {
  const [essence = ''] = (contentType ?? '').split(';');
  const name = essence.trim().toLowerCase();
  return STREAMS.has(name) || name.endsWith('+json-seq');
}
