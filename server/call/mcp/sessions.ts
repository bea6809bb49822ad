/**
 * Asks clients of 2025 in the middle of their calls (MCP 2025-11-25, Elicitation), without keeping sessions.
 *
 * A session id contains the capabilities that its client declared. The id of a question is bound to the client that was asked. Both are
 * sealed, so any node can open them. An answer reaches the node that waits for it through the store.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { ValueSealer } from '../../base/credentials/sealed-value.ts';
import { RequestError } from '../../base/http/errors.ts';
import type { HttpExchange } from '../../base/http/exchange.ts';
import type { Principal } from '../../base/principal/principal.ts';
import { hashSecret } from '../../base/principal/secrets.ts';
import { insertSingleUseCode, peekSingleUseCode } from '../../base/store/repositories/single-use-codes.ts';
import type { Database } from '../../base/store/schema.ts';
import { canElicit } from '../tools/ask-user.ts';
import type {
  CallAnswer,
  CallProgress,
  InputRequiredToolResult,
  InSession,
  ToolCallContext,
} from '../tools/provider.ts';
import { isObject, methodOf } from './json-rpc.ts';
import { acceptsEvents, type LateStream } from './open-calls.ts';
import { LEGACY_VERSIONS } from './recognise.ts';

/** Limits of calls that wait for their users. */
export interface WaitingLimits {
  /** Of one call, in milliseconds, over all its questions. */
  readonly waitMs: number;
  /** Interval at which the store is asked, in milliseconds. */
  readonly pollMs: number;
  /** Interval at which something is sent so that no proxy closes the connection, in milliseconds. */
  readonly aliveMs: number;
  /** Calls of one user that wait at this process. */
  readonly perUser: number;
  /** Calls that wait at this process. */
  readonly total: number;
}

/** A call waits as long as an approval can be given. */
const LIMITS: WaitingLimits = { waitMs: 600_000, pollMs: 1_000, aliveMs: 15_000, perUser: 5, total: 200 };

/** Options of sessions. */
export interface SessionsOptions {
  readonly db: Kysely<Database>;
  readonly sealer: ValueSealer;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Finds out again who sent a request. @throws {RequestError} 401. */
  readonly authenticate: (exchange: HttpExchange) => Promise<Principal>;
  /** Aborted once the gateway has begun to stop: no call waits from then on. */
  readonly stopping: AbortSignal;
  readonly limits?: Partial<WaitingLimits> | undefined;
}

/** A request, and who sent it. */
interface Sender {
  readonly exchange: HttpExchange;
  readonly principal: Principal;
}

/** A call that may ask its user. */
interface AskingCall extends Sender {
  /** Of the JSON-RPC request. */
  readonly id: string | number;
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal;
  readonly progress: CallProgress | null;
  /** Opens the stream on which it asks, if it is not open. */
  openStream(): LateStream;
}

/** The answers of a client to what a call asked. */
interface ClientAnswers {
  readonly inputResponses: ToolCallContext['inputResponses'];
  readonly requestState: string | null;
}

/** The answer of a client to one question (MCP 2025-11-25, `ElicitResult`). */
interface Answer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>>;
}

/** One of the questions of a call. */
interface OneQuestion extends Pick<InSession, 'isDone' | 'takesAnswers'> {
  /** Parameters of `elicitation/create`. */
  readonly params: { readonly mode?: string };
}

/** Makes a call, with the caller as it is now. */
type MakeCall = (principal: Principal, answers: ClientAnswers) => Promise<CallAnswer>;

type Question = InputRequiredToolResult & { readonly inSession: InSession };

/** The address of a stored message: the id of a question; or a session, if there is one, and the id of a call in it. */
type MessageAddress = readonly [question: string] | readonly [session: string | null, call: string | number];

interface Until {
  /** Milliseconds since 1970. */
  readonly until: number;
}

function isQuestion(result: CallAnswer): result is Question {
  return result.resultType === 'input_required' && result.inSession !== undefined;
}

/** Longer than a client runs. After it, the client is not asked any more: its calls end with a text that says what the user has to do. */
const SESSION_TTL_MS = 30 * 86_400_000;
const PURPOSE = 'elicitation';
const ANSWERS: readonly unknown[] = ['accept', 'decline', 'cancel'];
/** Characters of the JSON of a form. Of a longer one, only the action counts. */
const MAX_CONTENT_CHARS = 64 * 1024;
const NOTHING: Readonly<Record<string, unknown>> = {};

/** Returns the session that a request names, unverified, or null. */
function sessionOf({ request }: HttpExchange): string | null {
  const id = request.headers['mcp-session-id'];
  return typeof id === 'string' ? id : null;
}

/** The client of a principal, whichever of its access tokens it uses. */
function holderOf(kind: 'session' | 'question', { grantId, tokenId }: Principal): string {
  return JSON.stringify([kind, grantId === null ? 'token' : 'grant', grantId ?? tokenId]);
}

/** Sessions, and the calls of this process that wait for their users. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #limits: WaitingLimits;
  readonly #waiting = new Map<string, number>();
  #total = 0;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  /** Returns the id for the answer to an `initialize`, or null if the message is another one or its client answers no questions. */
  idFor(principal: Principal, body: unknown): string | null {
    if (methodOf(body) !== 'initialize') return null;
    const { params } = body as { readonly params?: unknown };
    const { protocolVersion, capabilities } = isObject(params) ? params : NOTHING;
    const clientCapabilities = isObject(capabilities) ? capabilities : NOTHING;
    // A client that asks for an unknown revision gets the newest.
    const age = (LEGACY_VERSIONS as readonly unknown[]).indexOf(protocolVersion);
    const elicitation = {
      ...(age <= 1 && canElicit(clientCapabilities, 'form') ? { form: {} } : {}),
      ...(age <= 0 && canElicit(clientCapabilities, 'url') ? { url: {} } : {}),
    };
    if (Object.keys(elicitation).length === 0) return null;
    const { sealer, now } = this.#options;
    return sealer.seal(elicitation, { holder: holderOf('session', principal), expiresAt: now() + SESSION_TTL_MS });
  }

  /** Returns the capabilities that the client of a request declared when its session began. Empty without a session. */
  capabilitiesOf({ exchange, principal }: Sender): Readonly<Record<string, unknown>> {
    const { sealer, now } = this.#options;
    const id = sessionOf(exchange);
    if (id === null || !acceptsEvents(exchange.request.headers.accept)) return NOTHING;
    const elicitation = sealer.open(id, { holder: holderOf('session', principal), now: now() });
    return elicitation === undefined ? NOTHING : { elicitation };
  }

  /** Takes an answer; the first one counts. @returns false: the message answers no question that this client was asked. */
  async receiveAnswer(principal: Principal, body: unknown): Promise<boolean> {
    const { sealer, now } = this.#options;
    if (!isObject(body) || body.jsonrpc !== '2.0' || 'method' in body || typeof body.id !== 'string') return false;
    if (!('result' in body || 'error' in body)) return false;
    if (sealer.open(body.id, { holder: holderOf('question', principal), now: now() }) === undefined) return false;
    const { action, content } = isObject(body.result) ? body.result : NOTHING;
    const answer: Answer = { action: ANSWERS.includes(action) ? (action as Answer['action']) : 'cancel' };
    const isForm = isObject(content) && JSON.stringify(content).length <= MAX_CONTENT_CHARS;
    await this.#storeMessage([body.id], isForm ? { ...answer, content } : answer);
    return true;
  }

  /** Cancels a call that waits at another process. @param id of its JSON-RPC request. */
  async cancel(sender: Sender, id: string | number): Promise<void> {
    if (this.capabilitiesOf(sender) !== NOTHING) await this.#storeMessage([sessionOf(sender.exchange), id], 'cancel');
  }

  /** Makes a call, and makes it again whenever its user has done what it asked for. */
  async call(call: AskingCall, make: MakeCall): Promise<CallAnswer> {
    const until = this.#options.now() + this.#limits.waitMs;
    let result = await make(call.principal, { inputResponses: NOTHING, requestState: null });
    while (isQuestion(result)) {
      const answered = await this.#ask({ ...call, until }, result);
      if (answered === null) return result.inSession.otherwise;
      const { principal, inputResponses } = answered;
      result = await make(principal, { inputResponses, requestState: result.requestState ?? null });
    }
    return result;
  }

  /**
   * Asks the user, unless too many calls wait.
   *
   * @returns null if the call does not continue.
   */
  async #ask(call: AskingCall & Until, question: Question) {
    const { userId } = call.principal;
    const count = this.#waiting.get(userId) ?? 0;
    if (this.#total >= this.#limits.total || count >= this.#limits.perUser) return null;
    if (this.#options.now() >= call.until) return null;
    this.#total += 1;
    this.#waiting.set(userId, count + 1);
    const stream = call.openStream();
    if (call.progress !== null) call.progress.message = 'Waiting for the user.';
    try {
      return await this.#askEach(call, question, stream);
    } finally {
      if (call.progress !== null) call.progress.message = null;
      this.#total -= 1;
      const remaining = (this.#waiting.get(userId) ?? 1) - 1;
      if (remaining > 0) this.#waiting.set(userId, remaining);
      else this.#waiting.delete(userId);
    }
  }

  /** Asks one question after the other. @returns as `#wait`, with the answers by the keys of the questions. */
  async #askEach(call: AskingCall & Until, { inputRequests = {}, inSession }: Question, stream: LateStream) {
    const inputResponses: Record<string, Answer> = {};
    let principal = call.principal;
    for (const [key, { params = {} }] of Object.entries(inputRequests)) {
      const answered = await this.#wait(call, { ...inSession, params: params as OneQuestion['params'] }, stream);
      if (answered === null) return null;
      principal = answered.principal;
      if (answered.answer !== undefined) inputResponses[key] = answered.answer;
    }
    return { principal, inputResponses };
  }

  /**
   * Waits until the user has done what the question asks.
   *
   * @returns the answer, and the caller with the rights it has then; null if the user refused or did not answer in time.
   */
  async #wait(call: AskingCall & Until, question: OneQuestion, stream: LateStream) {
    const { sealer, now, stopping } = this.#options;
    const { pollMs, aliveMs } = this.#limits;
    const { exchange, until } = call;
    const { mode, ...params } = question.params;
    const takesAnswers = question.takesAnswers === true;
    const id = sealer.seal(null, { holder: holderOf('question', call.principal), expiresAt: until });
    const ofUrl = mode === 'url' ? { mode, elicitationId: id } : {};
    stream.send({ id, method: 'elicitation/create', params: { ...params, ...ofUrl } });
    const withdraw = (): void => stream.send({ method: 'notifications/cancelled', params: { requestId: id } });
    const signal = AbortSignal.any([call.signal, exchange.disconnected, stopping]);
    let answer: Answer | undefined;
    for (let polls = 1; ; polls += 1) {
      await delay(pollMs, undefined, { signal }).catch(() => {});
      if (signal.aborted || now() >= until) break;
      if (polls % Math.ceil(aliveMs / pollMs) === 0) stream.keepAlive();
      answer ??= (await this.#findMessage([id])) as Answer | undefined;
      const isRefused = answer?.action === 'decline' && mode === 'url' && !takesAnswers;
      if (answer?.action === 'cancel' || isRefused) return null;
      const isCancelledElsewhere = (await this.#findMessage([sessionOf(exchange), call.id])) !== undefined;
      const principal = isCancelledElsewhere ? null : await this.callerNow(exchange);
      const isDone = principal !== null && (await question.isDone(principal));
      if (principal === null || signal.aborted) break;
      if (!isDone && (answer === undefined || (mode === 'url' && !takesAnswers))) continue;
      if (answer === undefined) withdraw();
      if (mode === 'url') stream.send({ method: 'notifications/elicitation/complete', params: { elicitationId: id } });
      return { principal, answer };
    }
    if (answer === undefined && !exchange.disconnected.aborted) withdraw();
    return null;
  }

  /** Returns the sender of a request as the store knows it now, or null if the token was revoked or has expired. */
  async callerNow(exchange: HttpExchange): Promise<Principal | null> {
    try {
      return await this.#options.authenticate(exchange);
    } catch (error) {
      if (error instanceof RequestError && error.status === 401) return null;
      throw error;
    }
  }

  #hashOf(address: MessageAddress): string {
    return hashSecret(this.#options.db, `${PURPOSE} ${JSON.stringify(address)}`);
  }

  /**
   * Stores a message for the process at which the call waits: the answer to a question, or `cancel`. It is sealed, so that no process
   * reads a row that someone else wrote.
   */
  async #storeMessage(address: MessageAddress, message: unknown): Promise<void> {
    const { db, sealer, now } = this.#options;
    const codeHash = this.#hashOf(address);
    const expiresAt = now() + this.#limits.waitMs;
    const payload = sealer.seal(message, { holder: codeHash, expiresAt });
    await insertSingleUseCode(db, { codeHash, purpose: PURPOSE, userId: null, payload, now: now(), expiresAt });
  }

  /** Returns the stored message, or undefined if there is none. */
  async #findMessage(address: MessageAddress): Promise<unknown> {
    const { db, sealer, now } = this.#options;
    const codeHash = this.#hashOf(address);
    const row = await peekSingleUseCode(db, { codeHash, purpose: PURPOSE, now: now() });
    return row && sealer.open(String(row.payload), { holder: codeHash, now: now() });
  }
}
