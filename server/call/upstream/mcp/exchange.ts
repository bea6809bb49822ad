/** One exchange with an MCP server: the HTTP requests of one call, their deadline, and why they ended. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { canonicalJson } from '../../../../shared/canonical-json.ts';
import { mayHoldInexactNumber, parseRawNumbers } from '../../../../shared/exact-json.ts';
import type { McpQuestions, UpstreamAnswer } from '../answer.ts';
import { NOT_MCP, toUpstreamFailure, UpstreamFailure } from '../failures.ts';

/** The exchange whose requests the client is sending. The client knows nothing of it. */
const EXCHANGES = new AsyncLocalStorage<Exchange>();

/** Options of an exchange. */
export interface ExchangeOptions {
  /** Aborts when the caller cancels. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Called when the server may have received the call. Default: no call. */
  readonly onSending?: (() => void) | undefined;
  /** Called when the server has answered the request of the call with success, of which the result may come later. Default: no call. */
  readonly onAccepted?: (() => void) | undefined;
  /** Answers to questions that the server asks while it works (MCP 2025-11-25, Elicitation), by `questionKey`. Default: none. */
  readonly responses?: Readonly<Record<string, unknown>> | undefined;
}

/** The server refused a request with an error status, such as 401. */
export class RefusedByServer extends Error {
  override readonly name = 'RefusedByServer';
  readonly answer: UpstreamAnswer;

  constructor(answer: UpstreamAnswer) {
    super(`the MCP server answered ${answer.status}`);
    this.answer = answer;
  }
}

/** The server asked the user something to which there is no answer yet, so the call was cancelled there. */
export class AskedByServer extends Error {
  override readonly name = 'AskedByServer';
  readonly questions: McpQuestions;

  constructor(questions: McpQuestions) {
    super('the MCP server asks the user');
    this.questions = questions;
  }
}

/** A server may end a stream and have it continued (MCP 2025-11-25, Transports, Resumability) this often in one exchange. */
const MAX_RECONNECTIONS = 10;
/** Requests of one exchange: a list has 100 pages at most, the client answers each request of the server with another, and asks for the status of a task. */
const MAX_REQUESTS = 200;
const MIN_RECONNECTION_MS = 250;
const MAX_RECONNECTION_MS = 10_000;
/** Time in which the client asks to continue a stream that ended without an answer. */
const STREAM_END_GRACE_MS = 250;

/** One exchange. `run` ends it. */
export class Exchange {
  /** The last answer with an error status. Null if the last answer has none. */
  refusal: UpstreamAnswer | null = null;
  /** Id of the JSON-RPC request of the call. Undefined until it is sent. */
  callId: unknown;
  /** The result of the call with raw numbers (`shared/exact-json.ts`). Undefined if the client's own reading of it keeps every digit. */
  exactResult: unknown;
  /** The task that the server has begun for the call (Tasks 2026-07-28, `CreateTaskResult`), which the client cannot read. */
  createdTask: Readonly<Record<string, unknown>> | undefined;
  /** The last message of the server. Empty until there is one. */
  lastMessage = '';
  readonly #stop = new AbortController();
  readonly #options: ExchangeOptions;
  #failure: UpstreamFailure | AskedByServer | null = null;
  #reconnections = 0;
  #requests = 0;
  #openRequests = 0;
  #isReconnecting = false;
  #isPausing = false;
  #isOver = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  static current(): Exchange | undefined {
    return EXCHANGES.getStore();
  }

  /** Aborts when the exchange ends, for whatever reason. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /**
   * Runs the requests of the exchange, and ends it. Aborts requests that are still open then.
   *
   * @throws {UpstreamFailure} when there is no usable answer. @throws {RefusedByServer}
   * @throws the error of `work` that says what the server answered, such as an error of JSON-RPC.
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const { signal, timeoutMs } = this.#options;
    const cancel = () => this.fail(new UpstreamFailure('cancelled'));
    const timer = setTimeout(() => this.fail(new UpstreamFailure('timeout', { limit: timeoutMs })), timeoutMs);
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    try {
      const working = EXCHANGES.run(this, work);
      // Nothing else reads a failure that comes after the end.
      working.catch(() => {});
      return await Promise.race([working, this.#stopped()]);
    } catch (error) {
      if (this.#failure !== null) throw this.#failure;
      if (this.refusal !== null && !isRpcError(error)) throw new RefusedByServer(this.refusal);
      throw error;
    } finally {
      this.#isOver = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      this.#stop.abort();
    }
  }

  /** Runs work that goes on when the current exchange has ended. Its errors are ignored. */
  static runAfterEnd(work: () => Promise<unknown>): void {
    EXCHANGES.exit(() => void work().catch(() => {}));
  }

  /**
   * Keeps a result of the call that the client cannot read: with numbers that `JSON.parse` would round, or a task.
   *
   * @param text a message of the server.
   */
  readMessage(text: string): void {
    this.lastMessage = text;
    const mayBeTask = text.includes('"task"');
    if (this.callId === undefined || !(mayBeTask || mayHoldInexactNumber(text))) return;
    let value: unknown;
    try {
      value = parseRawNumbers(text);
    } catch (error) {
      // The client refuses what is no JSON.
      if (error instanceof SyntaxError) return;
      throw error;
    }
    const messages = (Array.isArray(value) ? value : [value]) as (null | { id?: unknown; result?: unknown })[];
    const result = messages.find((message) => message?.id === this.callId)?.result;
    if (mayBeTask && (result as { resultType?: unknown } | null | undefined)?.resultType === 'task') {
      this.createdTask = result as Exchange['createdTask'];
    } else this.exactResult = result ?? this.exactResult;
  }

  /** Ends the exchange without a usable answer. */
  fail(error: unknown): UpstreamFailure {
    const failure = toUpstreamFailure(error);
    this.#failure ??= failure;
    this.#stop.abort(this.#failure);
    return this.#failure instanceof UpstreamFailure ? this.#failure : failure;
  }

  /**
   * Returns the user's answer to a question of a server of 2025. Without an answer, it ends the exchange with the question: the call is made again once
   * there is an answer.
   *
   * @param params of `elicitation/create`.
   */
  answerQuestion(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const key = questionKey(params);
    const responses = this.#options.responses ?? {};
    const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
    if (typeof response === 'object' && response !== null) return response as Readonly<Record<string, unknown>>;
    // A server of 2025 has no state of the call, so it gets all earlier answers again.
    const state = Object.keys(responses).length === 0 ? undefined : JSON.stringify(responses);
    this.#failure ??= new AskedByServer({ requests: { [key]: params }, state });
    this.#stop.abort(this.#failure);
    return { action: 'cancel' };
  }

  /** Called when the server has received a request, or may have. */
  onSent(): void {
    this.#options.onSending?.();
  }

  /** Called when the server has answered the request of the call with success. */
  onAccepted(): void {
    this.#options.onAccepted?.();
  }

  /** Called before a request is sent. @throws {UpstreamFailure} for one too many. */
  onRequest(): void {
    this.#requests += 1;
    if (this.#requests > MAX_REQUESTS) throw this.fail(new UpstreamFailure('protocol', { reason: NOT_MCP }));
    this.#isReconnecting = false;
    this.#openRequests += 1;
  }

  /** Called when the whole answer of a request was read, or failed. */
  onAnswered(): void {
    this.#openRequests -= 1;
  }

  /** Called after `onAnswered` for a stream. Ends the exchange if nothing can bring its answer any more. */
  onStreamEnd(): void {
    const timer = setTimeout(() => {
      const isExpected = this.#isReconnecting || this.#isPausing || this.#isOver;
      if (this.#openRequests === 0 && !isExpected) this.fail(streamBroke());
    }, STREAM_END_GRACE_MS);
    timer.unref();
  }

  /** Waits between two requests, while no stream is open. */
  async pause(ms: number): Promise<void> {
    this.#isPausing = true;
    await delay(ms, undefined, { signal: this.signal });
    this.#isPausing = false;
  }

  /** Continues a stream later, unless the server ends it too often. @returns cancels it. */
  reconnect(connect: () => void, delayMs: number): () => void {
    this.#reconnections += 1;
    if (this.#isOver) return () => {};
    if (this.#reconnections > MAX_RECONNECTIONS) {
      this.fail(streamBroke());
      return () => {};
    }
    this.#isReconnecting = true;
    const timer = setTimeout(connect, Math.min(MAX_RECONNECTION_MS, Math.max(MIN_RECONNECTION_MS, delayMs)));
    return () => clearTimeout(timer);
  }

  #stopped(): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    const stop = () => reject(this.signal.reason);
    if (this.signal.aborted) stop();
    else this.signal.addEventListener('abort', stop, { once: true });
    promise.catch(() => {});
    return promise;
  }
}

/**
 * Names a question of a server of 2025, which has no name: the same question has the same key when the call is made again. The address of a page, which
 * may be another one each time, counts by its host.
 */
export function questionKey({
  mode = 'form',
  message,
  requestedSchema,
  url,
}: Readonly<Record<string, unknown>>): string {
  const host = typeof url === 'string' ? (URL.parse(url)?.host ?? url) : null;
  return hash('sha256', canonicalJson([mode, message ?? null, requestedSchema ?? null, host]), 'base64url');
}

/** The failure of a stream that ended before the answer came. */
export function streamBroke(): UpstreamFailure {
  return new UpstreamFailure('reset', { reason: 'stream ended' });
}

/** True for an error that the server itself answered in JSON-RPC. Errors of the client have other codes. */
export function isRpcError(error: unknown): error is Error & { readonly code: number; readonly data?: unknown } {
  return error instanceof Error && 'code' in error && Number.isInteger(error.code);
}
