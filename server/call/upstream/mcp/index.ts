/** Calls tools at remote MCP servers: one session for each connection, and no call of a tool whose definition has changed. */

import type { Dispatcher } from 'undici';
import type { McpAnswers, UpstreamAnswer } from '../answer.ts';
import { NOT_MCP, UpstreamFailure, type UpstreamFailureKind } from '../failures.ts';
import { CannotSendError } from '../serialize-sources.ts';
import { AskedByServer, Exchange, type ExchangeOptions, isRpcError, questionKey, RefusedByServer } from './exchange.ts';
import { createExchangeFetch } from './exchange-fetch.ts';
import type { McpServer, McpSession } from './session.ts';
import { Sessions } from './sessions.ts';
import { problemAnswer, questionsAnswer, toAnswer } from './to-answer.ts';

/** Options of the calls of one realm. */
export interface McpCallsOptions {
  readonly dispatcher: () => Promise<Dispatcher>;
  /** Limit of one answer, in bytes. */
  readonly maxResultBytes: number;
  /** Longest time of a call. */
  readonly timeoutMs: number;
  /** Product and version, such as `unified-tool-gateway/1.0`. */
  readonly userAgent: string;
  /** `warn`: a tool whose definition has changed is called all the same. */
  readonly drift: 'refuse' | 'warn';
  /** Sessions that are open at once. */
  readonly maxSessions: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** One call. */
export interface McpRequest extends McpServer {
  /** The tool's name at the server. */
  readonly tool: string;
  /** Digest of its definition as reviewed. */
  readonly definition: string;
  /** True if a repeated call changes nothing more. */
  readonly isIdempotent: boolean;
  readonly args: Readonly<Record<string, unknown>>;
}

/** See `UpstreamSending`. */
export interface McpSending {
  readonly signal: AbortSignal;
  readonly connectionId?: string | undefined;
  /** Time at which the call ends, in milliseconds since 1970. */
  readonly endsAt: number;
  readonly onSending?: (() => void) | undefined;
  readonly onProgress?: ((message: string) => void) | undefined;
  readonly answers?: McpAnswers | undefined;
  /** Headers in addition to those of the server. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One attempt of a call. */
interface OneSending extends McpSending {
  readonly onAccepted: () => void;
}

/** How far an attempt has come. */
interface Attempt {
  /** `perhaps`: the call was sent. `accepted`: the server answered it with an HTTP status of success, and its result may come later. */
  reached: 'no' | 'perhaps' | 'accepted';
  readonly isIdempotent: boolean;
}

/** The calls at MCP servers of one realm. */
export interface McpCalls {
  /** @throws {UpstreamFailure} when there is no usable answer. */
  call(request: McpRequest, sending: McpSending): Promise<UpstreamAnswer>;
  /** Ends the sessions of a connection when no call uses them. @param connectionId row id. */
  endSessions(connectionId: string): void;
  /** Ends all sessions. */
  close(): Promise<void>;
}

/** Codes of JSON-RPC (MCP 2026-07-28, Errors). */
const UNSUPPORTED_VERSION = -32022;
/** The user must open pages first (MCP 2025-11-25, URL Elicitation Required). */
const URL_REQUIRED = -32042;
/** The tool needs a capability that the request does not declare, or a page that the user opens. */
const ASKING: ReadonlySet<number> = new Set([-32021, URL_REQUIRED]);

const UNREADABLE: ReadonlySet<UpstreamFailureKind> = new Set(['too_large', 'protocol', 'coding']);

export function createMcpCalls(options: McpCallsOptions): McpCalls {
  const { now, userAgent, timeoutMs } = options;
  const [name = userAgent, version = '0'] = userAgent.split('/');
  const fetch = createExchangeFetch({ dispatcher: options.dispatcher, maxBytes: options.maxResultBytes });
  const sessions = new Sessions({
    maxSessions: options.maxSessions,
    fetch,
    clientInfo: { name, version },
    timeoutMs,
    now,
  });

  /** Runs a part of a call in the time that is left. */
  const within = <Part>(
    { signal, endsAt }: McpSending,
    work: (exchange: Exchange) => Promise<Part>,
    call: Pick<ExchangeOptions, 'onSending' | 'onAccepted' | 'responses'> = {},
  ) => {
    const exchange = new Exchange({ signal, timeoutMs: Math.max(0, endsAt - now()), ...call });
    return exchange.run(() => work(exchange));
  };
  /** Calls the tool in this session. @throws as `Exchange.run`. */
  const callIn = async (session: McpSession, request: McpRequest, sending: OneSending): Promise<UpstreamAnswer> => {
    const { tool, args } = request;
    const definition = await within(sending, () => session.definitionOf(tool)).catch(toUnreadableList);
    if (definition === 'unreadable') return problemAnswer({ problem: 'list_unreadable' });
    if (definition === undefined) return problemAnswer({ problem: 'tool_gone' });
    const isChanged = definition.digest !== request.definition;
    if (isChanged && options.drift === 'refuse') return problemAnswer({ problem: 'definition_changed' });
    const { headers, onProgress, answers } = sending;
    const result = await within(
      sending,
      ({ signal }) => session.call({ tool, args, headers, signal, definition, onProgress, answers }),
      {
        onSending: sending.onSending,
        onAccepted: sending.onAccepted,
        responses: session.isLegacy ? responsesOf(answers) : undefined,
      },
    );
    const answer = toAnswer(result, definition.hasOutputSchema === true);
    return isChanged ? { ...answer, mcp: { ...answer.mcp, isChanged } } : answer;
  };

  return {
    async call(request, sending) {
      for (let mayRepeat = true; ; mayRepeat = false) {
        const lease = sessions.take(request, sending.connectionId);
        let session: McpSession | null = null;
        const attempt: Attempt = { reached: 'no', isIdempotent: request.isIdempotent };
        const onSending = () => {
          if (attempt.reached === 'no') attempt.reached = 'perhaps';
          sending.onSending?.();
        };
        const onAccepted = () => {
          attempt.reached = 'accepted';
        };
        try {
          session = await within(sending, () => lease.session);
          return await callIn(session, request, { ...sending, onSending, onAccepted });
        } catch (error) {
          const isLost = session !== null && losesSession(session, error);
          if (isLost || isUnclear(error)) lease.discard();
          if (mayRepeat && mayCallAgain(error, isLost, attempt)) continue;
          // The server works on the call, and has only refused what came after it.
          if (attempt.reached === 'accepted' && error instanceof RefusedByServer) throw brokenOff(error);
          return answerOfError(error);
        } finally {
          lease.release();
        }
      }
    },
    endSessions: (connectionId) => sessions.end(connectionId),
    close: () => sessions.close(),
  };
}

/** A list that is too large or no valid MCP says nothing about a tool. @throws any other error. */
function toUnreadableList(error: unknown): 'unreadable' {
  if (error instanceof UpstreamFailure && UNREADABLE.has(error.kind)) return 'unreadable';
  throw error;
}

/** Returns all answers of the user to questions of a server of 2025, by `questionKey`. */
function responsesOf({ responses, state = '{}' }: Partial<McpAnswers> = {}): Readonly<Record<string, unknown>> {
  try {
    return { ...(JSON.parse(state) as Readonly<Record<string, unknown>>), ...responses };
  } catch (error) {
    // The server spoke the revision of 2026 when it asked, and the state is its own.
    if (error instanceof SyntaxError) return { ...responses };
    throw error;
  }
}

/** True if the server says that it does not know the session. */
function losesSession({ hasId }: McpSession, error: unknown): boolean {
  if (isRpcError(error)) return error.code === UNSUPPORTED_VERSION;
  if (!(error instanceof RefusedByServer) || !hasId) return false;
  const { status, body } = error.answer;
  return status === 404 || (status === 400 && /session/i.test(body.toString('utf8')));
}

/** True for an answer that is no MCP. */
function isUnclear(error: unknown): boolean {
  const kinds = [AskedByServer, RefusedByServer, UpstreamFailure, CannotSendError];
  return !isRpcError(error) && !kinds.some((kind) => error instanceof kind);
}

/** True if the session or the connection is lost, and the server has not begun the call, or a repetition changes nothing more. */
function mayCallAgain(error: unknown, isLost: boolean, { reached, isIdempotent }: Attempt): boolean {
  if (isLost) return reached !== 'accepted' || isIdempotent;
  return error instanceof UpstreamFailure && error.kind === 'reset' && (reached === 'no' || isIdempotent);
}

const brokenOff = ({ answer }: RefusedByServer) => new UpstreamFailure('reset', { status: answer.status });

/** The answer of an error that the server sent. @throws {UpstreamFailure} for any other error. */
function answerOfError(error: unknown): UpstreamAnswer {
  if (error instanceof RefusedByServer) return error.answer;
  if (error instanceof AskedByServer) return questionsAnswer(error.questions);
  if (error instanceof UpstreamFailure || error instanceof CannotSendError) throw error;
  if (!isRpcError(error)) throw new UpstreamFailure('protocol', { reason: NOT_MCP });
  const { code, message, data } = error;
  const pages = code === URL_REQUIRED ? pagesOf(data) : {};
  if (Object.keys(pages).length > 0) return questionsAnswer({ requests: pages, state: undefined });
  const body = Buffer.from(JSON.stringify({ code: String(code), message, details: data }));
  const answer = problemAnswer({ problem: ASKING.has(code) ? 'asks_user' : 'tool_error' });
  return { ...answer, header: (name) => (name === 'content-type' ? 'application/json' : null), body };
}

/** The pages that a server of 2025 names in an error, as questions. */
function pagesOf(data: unknown): Record<string, Readonly<Record<string, unknown>>> {
  const { elicitations } = (data ?? {}) as { readonly elicitations?: unknown };
  const pages = (Array.isArray(elicitations) ? elicitations : []) as readonly (Readonly<
    Record<string, unknown>
  > | null)[];
  return Object.fromEntries(pages.flatMap((page) => (page?.mode === 'url' ? [[questionKey(page), page]] : [])));
}
