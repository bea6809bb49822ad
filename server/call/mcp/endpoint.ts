/** The MCP endpoint: one URL for both generations of the protocol, stateless. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { mayHoldInexactNumber, parseRawNumbers, rawNumber } from '../../../shared/exact-json.ts';
import { RequestError } from '../../base/http/errors.ts';
import { decodeText, type HttpExchange, JSON_UTF8, readBytes, SLOW_BODY_MS } from '../../base/http/exchange.ts';
import type { RateLimiter } from '../../base/limits/limiter.ts';
import type { Scope } from '../../base/principal/permission.ts';
import { describeSuspension, type Principal } from '../../base/principal/principal.ts';
import type { EndpointTools } from '../tools/provider.ts';
import { joinAdditions, type McpAddition } from './additions.ts';
import { type AnswerContent, createAnswerForm } from './answer-content.ts';
import { createFastPath, type ServerInfo } from './fast-path.ts';
import {
  callOf,
  FORBIDDEN,
  findBrokenLimit,
  INVALID_PARAMS,
  INVALID_REQUEST,
  idOf,
  isObject,
  type JsonLimits,
  MessageError,
  type MessageErrorCode,
  methodOf,
  PARSE_ERROR,
  parseBeginning,
  TOO_MANY_REQUESTS,
  toErrorText,
  UNAVAILABLE,
  type UncheckedCall,
} from './json-rpc.ts';
import { asksForStream, ListStreams, type StreamLimits } from './list-streams.ts';
import { createOpenCalls, PROGRESS_TIMING, type ProgressTiming } from './open-calls.ts';
import { batchOf, MODERN_VERSION, recognise } from './recognise.ts';
import type { SdkPath } from './sdk-path.ts';
import { Sessions, type SessionsOptions } from './sessions.ts';

/** Options of the endpoint. */
export interface McpEndpointOptions {
  readonly tools: EndpointTools;
  readonly serverInfo: ServerInfo;
  /** The `instructions` of the server, for models. */
  readonly instructions: string;
  readonly logger: Logger;
  readonly maxBodyBytes: number;
  /** Requests of all kinds, per user: servers MUST limit invocations (MCP, Tools, Security considerations). */
  readonly limit: RateLimiter;
  /** Creates, for the requested host, the refusal (403) of a call that needs more scopes than the token has (RFC 6750 §3.1). */
  readonly challenges: (host: string) => { insufficientScope(needed: readonly Scope[]): RequestError };
  /** Additions of modules. Default: none. */
  readonly additions?: readonly McpAddition[];
  /** The parts that results carry. Default: `auto`. */
  readonly answerContent?: AnswerContent;
  /**
   * Options for asking clients of 2025 that declare elicitation, and for telling clients that their list has changed. By default clients are
   * asked and told nothing.
   */
  readonly sessions?: SessionsOptions;
  /** Limits of the streams on which clients are told. Default: `STREAM_LIMITS`. */
  readonly streamLimits?: Partial<StreamLimits> | undefined;
  /** The times at which progress is reported to clients that ask for it. Default: `PROGRESS_TIMING`. */
  readonly progress?: ProgressTiming | undefined;
  /** False: the SDK answers everything, with the same answers; for tests only. Default: true. */
  readonly fastPath?: boolean;
  /** Runs around the answer to each body, for example for a metric. Default: none. */
  readonly around?: AroundMessage | undefined;
}

/** Runs around an answer. It must not change the answer, and throws what `answer` throws. @param body the parsed JSON. */
export type AroundMessage = (exchange: HttpExchange, body: unknown, answer: () => Promise<void>) => Promise<void>;

/** The endpoint, ready for the app. */
export interface McpEndpoint {
  /**
   * Answers every method; the body must not have been read.
   *
   * @param findAgain finds the principal as it is once a slow body has arrived.
   * @throws {RequestError} `insufficientScope`.
   */
  serve(exchange: HttpExchange, principal: Principal, findAgain: () => Promise<Principal>): Promise<void>;
  /** Ends the exchanges and calls that are still open. Call it when the time for a graceful stop is over. */
  close(): Promise<void>;
}

/** More than any argument of a tool needs, and few enough that walking them is fast. */
const JSON_LIMITS: JsonLimits = { nodes: 20_000, keys: 1000, depth: 100 };
/**
 * Larger bodies are for tools that accept files. The limit is what a model can write at once: 128,000 tokens of four bytes.
 */
const MAX_WRITTEN_BYTES = 512 * 1024;
/** The part of a request over the limit that is still read, so that a call gets a result that a model can read. */
const MAX_BYTES_OVER_LIMIT = 64 * 1024;
/** `curl -d` sends any text as `application/x-www-form-urlencoded`. No form is read: the text must be JSON. */
const MEDIA_TYPES = ['application/json', 'application/x-www-form-urlencoded'];

/**
 * Creates the endpoint.
 *
 * Order of checks (MCP 2026-07-28, Streamable HTTP): the user's limit -> method -> media type and size -> JSON -> partner -> scopes ->
 * shape, revision, headers, method and parameters, which the SDK checks in every message that is not recognised. Host,
 * Origin and the access token were checked before.
 */
export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { tools, limit, progress = PROGRESS_TIMING } = options;
  const openCalls = createOpenCalls();
  const { sessions, streams } = openSessions(options);
  const additions = joinAdditions(options.additions ?? [], streams === undefined ? {} : { listChanged: true });
  const toForm = createAnswerForm(options);
  const description = { ...options, additions, progress, openCalls, sessions, streams, toForm };
  let sdk: Promise<SdkPath> | undefined;
  // Its modules take a large part of the gateway's start time.
  const loadSdk = (): Promise<SdkPath> => {
    sdk ??= import('./sdk-path.ts').then(({ createSdkPath }) => createSdkPath(description));
    return sdk;
  };
  const fastPath = createFastPath(description);

  const answer = async (
    exchange: HttpExchange,
    principal: Principal,
    body: unknown,
    waitSeconds: number | null,
  ): Promise<void> => {
    const message = options.fastPath === false ? null : recognise(exchange.request.headers, body);
    if (principal.isSuspended && message?.kind !== 'call') throw partnerSuspended(principal, body);
    const messages = (Array.isArray(body) ? batchOf(exchange.request.headers, body) : null) ?? [body];
    const era = exchange.request.headers['mcp-protocol-version'] === MODERN_VERSION ? '2026' : '2025';
    for (const each of messages) {
      if (message === null) {
        checkId(each);
        readArguments(each);
      }
      const call = message?.kind === 'call' ? message : callOf(each);
      const needed = call === null ? null : (tools.missingScopes?.(principal, call.name, call.args, era) ?? null);
      if (needed !== null) throw options.challenges(exchange.host).insufficientScope(needed);
    }
    for (const _ of messages.slice(1)) {
      const wait = await limit.consume(principal.userId);
      if (wait !== null) throw tooManyRequests(wait, body);
    }

    if (waitSeconds !== null && message?.kind !== 'call') throw tooManyRequests(waitSeconds, body);
    if (sessions !== undefined && era === '2025' && (message === null || message.kind === 'initialize')) {
      const session = sessions.idFor(principal, body);
      if (session !== null) {
        exchange.addHeaders({ 'Mcp-Session-Id': session, 'Access-Control-Expose-Headers': 'Mcp-Session-Id' });
      }
      if (message === null && (await sessions.receiveAnswer(principal, body))) return exchange.sendEmpty(202);
    }
    if (message !== null && message.kind !== 'call') return fastPath.answer(exchange, principal, message);
    const unsent = message === null ? null : await fastPath.call(exchange, principal, message, waitSeconds);
    if (message === null || unsent !== null) await (await loadSdk()).serve(exchange, principal, body, unsent);
  };

  return {
    async serve(exchange, principal, findAgain) {
      try {
        const waitSeconds = await limit.consume(principal.userId);
        if (streams !== undefined && asksForStream(exchange)) {
          checkMayAsk(principal, waitSeconds);
          return await streams.openGet(exchange, principal);
        }
        if (exchange.request.method !== 'POST') throw methodNotAllowed();
        const begunAt = performance.now();
        const body = await readMessage(exchange, options, { waitSeconds, principal });
        const caller = performance.now() - begunAt < SLOW_BODY_MS ? principal : await findAgain();
        if (options.around === undefined) return await answer(exchange, caller, body, waitSeconds);
        await options.around(exchange, body, () => answer(exchange, caller, body, waitSeconds));
      } catch (error) {
        if (!(error instanceof MessageError)) throw error;
        exchange.addHeaders(error.headers);
        exchange.send(error.status, JSON_UTF8, toErrorText(error.id, error.code, error.message));
      }
    },
    async close() {
      openCalls.cancelAll();
      streams?.endAll();
      await (await sdk)?.close();
    },
  };
}

function openSessions({ tools, sessions: options, streamLimits: limits }: McpEndpointOptions) {
  if (options === undefined) return {};
  const sessions = new Sessions(options);
  return { sessions, streams: new ListStreams(tools.list, sessions, { ...options, limits }) };
}

/** @throws {MessageError} 403 for a suspended partner, 429 over the limit. */
function checkMayAsk(principal: Principal, waitSeconds: number | null): void {
  if (principal.isSuspended) throw partnerSuspended(principal, null);
  if (waitSeconds !== null) throw tooManyRequests(waitSeconds, null);
}

/** Reads the body. @throws {MessageError} when it is too large, not JSON, or more than may be parsed. */
async function readMessage(
  { request }: HttpExchange,
  options: McpEndpointOptions,
  { waitSeconds, principal }: { waitSeconds: number | null; principal: Principal },
): Promise<unknown> {
  const isRefused = waitSeconds !== null || principal.isSuspended;
  const maxBytes = isRefused ? Math.min(options.maxBodyBytes, MAX_BYTES_OVER_LIMIT) : options.maxBodyBytes;
  try {
    const check = (beginning: Buffer): void => checkBeginning(options.tools, request.headers, beginning);
    const longer = { bytes: MAX_WRITTEN_BYTES, check };
    const bytes = await readBytes(request, { maxBytes, mediaTypes: MEDIA_TYPES, longer });
    const text = decodeText(bytes);
    const broken = findBrokenLimit(bytes, JSON_LIMITS);
    // Reading the id from a long body takes too long, so this error answer has none. All others have the id if it can be read.
    if (broken !== null && bytes.byteLength > MAX_BYTES_OVER_LIMIT) throw invalidRequest(broken, null);
    let body: unknown;
    try {
      body = parseMessage(text);
    } catch {
      throw new MessageError(400, PARSE_ERROR, 'Parse error: the request body is not valid JSON.');
    }
    if (broken !== null) throw invalidRequest(broken, body);
    if (bytes.byteLength > MAX_WRITTEN_BYTES) checkTakesFiles(options.tools, body);
    return body;
  } catch (error) {
    if (!(error instanceof RequestError || error instanceof MessageError)) throw error;
    if (waitSeconds !== null) throw tooManyRequests(waitSeconds, null);
    if (principal.isSuspended) throw partnerSuspended(principal, null);
    throw error instanceof MessageError ? error : toMessageError(error);
  }
}

/** Parses a body. Only ids and the arguments of calls have raw numbers: other numbers of the protocol are small. @throws {SyntaxError} */
function parseMessage(text: string): unknown {
  const body: unknown = JSON.parse(text);
  if (!mayHoldInexactNumber(text)) return body;
  const exactMessages = [parseRawNumbers(text)].flat();
  for (const [index, message] of [body].flat().entries()) {
    const exact = exactMessages[index];
    if (callOf(message) !== null) paramsOf(message).arguments = paramsOf(exact).arguments;
    if (isObject(exact) && rawNumber(exact.id) !== undefined) Object.assign(message as object, { id: exact.id });
  }
  return body;
}

/**
 * Refuses an id that JavaScript would not return unchanged (JSON-RPC 2.0, §5: the id of the answer is the same). The answer has a number's
 * digits as they were sent, so that its client finds the request.
 */
function checkId(message: unknown): void {
  if (methodOf(message) === null || !Object.hasOwn(message as object, 'id')) return;
  const { id } = message as { readonly id: unknown };
  if (typeof id === 'string' || Number.isSafeInteger(id)) return;
  const isNumber = typeof id === 'number' || rawNumber(id) !== undefined;
  throw new MessageError(400, INVALID_REQUEST, `Invalid request: ${ID_RULE}`, { id: isNumber ? (id as number) : null });
}

const ID_RULE = `"id" must be a string, or an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}.`;

/** @param message that `callOf` reads. */
function paramsOf(message: unknown): { arguments?: unknown } {
  return (message as { readonly params: { arguments?: unknown } }).params;
}

/** Some models write the arguments of a call as JSON text: an object in it replaces the text. */
function readArguments(message: unknown): void {
  if (callOf(message) === null) return;
  const params = paramsOf(message);
  if (typeof params.arguments !== 'string') return;
  const args = parseText(params.arguments);
  const isBroken = findBrokenLimit(Buffer.from(params.arguments), JSON_LIMITS) !== null;
  if (isBroken || !isObject(args)) {
    const text = 'Invalid params: "arguments" must be an object, such as {"id": 7}.';
    throw new MessageError(200, INVALID_PARAMS, text, { id: idOf(message) });
  }
  params.arguments = args;
}

function parseText(text: string): unknown {
  try {
    return parseRawNumbers(text);
  } catch {
    return undefined;
  }
}

function toMessageError({ status, description, headers }: RequestError): MessageError {
  return new MessageError(status, codeOfStatus(status), description, { headers });
}

function codeOfStatus(status: number): MessageErrorCode {
  switch (status) {
    case 400:
      return PARSE_ERROR;
    case 503:
      return UNAVAILABLE;
    default:
      return INVALID_REQUEST;
  }
}

/** Decides by the first 512 KiB whether the rest is read; `Mcp-Name` counts where they do not name the tool. */
function checkBeginning(tools: EndpointTools, headers: IncomingHttpHeaders, beginning: Buffer): void {
  const broken = findBrokenLimit(beginning, JSON_LIMITS);
  if (broken !== null) throw invalidRequest(broken, null);
  const { 'mcp-method': method, 'mcp-name': name } = headers;
  const callInHeaders = method === 'tools/call' && typeof name === 'string' ? { name, args: {} } : null;
  const body = parseBeginning(beginning);
  checkTakesFiles(tools, body, callOf(body) ?? callInHeaders);
}

/** @throws {MessageError} 413. */
function checkTakesFiles(tools: EndpointTools, body: unknown, call: UncheckedCall | null = callOf(body)): void {
  if (call !== null && tools.takesFiles?.(call.name, call.args) === true) return;
  throw new MessageError(
    413,
    INVALID_REQUEST,
    `The request body is larger than ${MAX_WRITTEN_BYTES} bytes. Only calls of tools that take files may be.`,
    { id: idOf(body) },
  );
}

function invalidRequest(problem: string, body: unknown): MessageError {
  return new MessageError(400, INVALID_REQUEST, `Invalid request: ${problem}.`, { id: idOf(body) });
}

function methodNotAllowed(): MessageError {
  const message = 'Method not allowed: this endpoint takes POST.';
  return new MessageError(405, INVALID_REQUEST, message, { headers: { Allow: 'POST' } });
}

/** Neither 401 nor a challenge: clients keep their tokens, and do not ask the user to sign in. */
function partnerSuspended({ partnerName }: Principal, body: unknown): MessageError {
  const { text, advice } = describeSuspension(partnerName);
  return new MessageError(403, FORBIDDEN, `${text} ${advice}`, { id: idOf(body) });
}

function tooManyRequests(seconds: number, body: unknown): MessageError {
  const message = `This user has made too many requests. Wait ${seconds} seconds, then try again.`;
  return new MessageError(429, TOO_MANY_REQUESTS, message, {
    id: idOf(body),
    headers: { 'Retry-After': String(seconds) },
  });
}
