/** The MCP endpoint: one URL for both generations of the protocol, stateless, a thin adapter over the SDK. */

import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import { readText } from '../http/body.ts';
import { RequestError } from '../http/errors.ts';
import { type GatewayContext, type GatewayMiddleware, principalOf } from '../http/state.ts';
import type { Principal, Scope } from '../principal/principal.ts';
import type { RateLimiter } from '../rate-limiter.ts';
import { isDeeperThan } from '../tools/json/exact-json.ts';
import type { ToolProvider } from '../tools/provider.ts';
import type { Exchange } from './exchange.ts';
import {
  errorBody,
  INVALID_REQUEST,
  idOf,
  METHOD_NOT_FOUND,
  methodOf,
  PARSE_ERROR,
  type RequestId,
} from './json-rpc.ts';
import { serveLegacy } from './legacy-leg.ts';
import { createProtocolServer, type ProtocolServerOptions, type ServerInfo } from './protocol-server.ts';
import { spliceTools } from './splice.ts';

export type { ServerInfo } from './protocol-server.ts';

/** What the endpoint is made of. */
export interface McpEndpointOptions {
  readonly tools: ToolProvider;
  /** Calls per user. Default: no limit. */
  readonly limit?: RateLimiter;
  readonly serverInfo: ServerInfo;
  /** How to use this server, for models. */
  readonly instructions: string;
  readonly logger: Logger;
  readonly maxBodyBytes: number;
  /** Makes the refusal (403) of a call that needs more scopes than the token has (RFC 6750 §3.1). */
  readonly insufficientScope: (needed: readonly Scope[]) => RequestError;
  /** How long clients may keep a list of tools, in milliseconds. Default: one minute. */
  readonly listTtlMs?: number;
  /** Default true. See `ProtocolServerOptions.splice`. */
  readonly splice?: boolean;
}

/** The endpoint, ready for the app. */
export interface McpEndpoint {
  /** Answers every method; `ctx.state` holds the principal and the body is not read yet. */
  readonly middleware: GatewayMiddleware;
  /** Ends the exchanges that are still open. Call it when the time for a graceful stop is over. */
  close(): Promise<void>;
}

const DEFAULT_LIST_TTL_MS = 60_000;
/** Deeper than any argument of a tool; far below what would exhaust the stack of a recursive reader. */
const MAX_DEPTH = 100;
const JSON_TYPE = 'application/json';
/** What `curl -d` sends when nobody tells it otherwise. No form is read: the text must be JSON all the same. */
const CURL_TYPE = 'application/x-www-form-urlencoded';

/**
 * Creates the endpoint.
 *
 * Order of checks (MCP 2026-07-28, Streamable HTTP): method -> media type and size -> JSON -> scopes -> shape, revision, headers,
 * method and parameters, which are the SDK's. Host, Origin and the access token were checked before.
 */
export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const settings: ProtocolServerOptions = {
    tools: options.tools,
    ...(options.limit === undefined ? {} : { limit: options.limit }),
    serverInfo: options.serverInfo,
    instructions: options.instructions,
    listTtlMs: options.listTtlMs ?? DEFAULT_LIST_TTL_MS,
    splice: options.splice ?? true,
  };
  const exchanges = new WeakMap<Request, Exchange>();
  const modern = createMcpHandler(
    ({ requestInfo }) => createProtocolServer(settings, exchangeOf(exchanges, requestInfo), '2026'),
    {
      legacy: 'reject',
      // Nothing that could be subscribed to is advertised; without a place the SDK opens no stream.
      maxSubscriptions: 0,
      onerror: (error) => options.logger.debug({ err: error }, 'mcp request refused'),
    },
  );

  const serve = async (ctx: GatewayContext, request: Request, body: unknown): Promise<Response> => {
    const legacy = isMessage(body) && (await isLegacyRequest(request, body));
    const exchange: Exchange = {
      principal: principalOf(ctx.state),
      requestId: ctx.state.requestId,
      log: ctx.state.log,
      disconnected: request.signal,
      streams: !legacy || wantsStream(options.tools, request, body),
      list: null,
    };
    const answer = legacy
      ? await serveLegacy(createProtocolServer(settings, exchange, '2025'), request, body, exchange.streams)
      : await serveModern(exchange, request, body);
    return exchange.list === null || !answer.ok ? answer : spliceTools(answer, exchange.list);
  };

  const serveModern = async (exchange: Exchange, request: Request, body: unknown): Promise<Response> => {
    exchanges.set(request, exchange);
    const answer = await modern.fetch(request, { parsedBody: body });
    // The SDK serves this method itself, after all checks, whatever the server declares.
    if (!answer.ok || methodOf(body) !== 'subscriptions/listen') return answer;
    return Response.json(errorBody(METHOD_NOT_FOUND, 'Method not found', idOf(body)), { status: 404 });
  };

  return {
    async middleware(ctx) {
      if (ctx.method !== 'POST') {
        ctx.set('Allow', 'POST');
        return answerError(ctx, 405, INVALID_REQUEST, 'Method not allowed: this endpoint takes POST.');
      }
      const body = await readMessage(ctx, options.maxBodyBytes);
      if (body === undefined) return;
      const needed = missingScopes(options.tools, principalOf(ctx.state), body.value);
      if (needed !== null) throw options.insufficientScope(needed);
      ctx.respond = false;
      const handler = { fetch: (request: Request) => serve(ctx, request, body.value) };
      const onerror = (error: Error) => ctx.state.log.error({ err: error }, 'mcp request failed');
      await toNodeHandler(handler, { onerror })(ctx.req as NodeIncomingMessageLike, ctx.res, body.value);
    },
    close: () => modern.close(),
  };
}

/** Reads the body, or answers what is wrong with it and returns undefined. */
async function readMessage(ctx: GatewayContext, maxBytes: number): Promise<{ value: unknown } | undefined> {
  let text: string;
  try {
    text = await readText(ctx.req, { maxBytes, mediaTypes: [JSON_TYPE, CURL_TYPE] });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    ctx.set(error.headers);
    answerError(ctx, error.status, error.status === 400 ? PARSE_ERROR : INVALID_REQUEST, error.description);
    return undefined;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    answerError(ctx, 400, PARSE_ERROR, 'Parse error: the request body is not valid JSON.');
    return undefined;
  }
  if (isDeeperThan(value, MAX_DEPTH)) {
    answerError(ctx, 400, INVALID_REQUEST, `Invalid request: nested deeper than ${MAX_DEPTH} levels.`, idOf(value));
    return undefined;
  }
  return { value };
}

function answerError(ctx: GatewayContext, status: number, code: number, message: string, id: RequestId = null): void {
  ctx.status = status;
  ctx.body = errorBody(code, message, id);
}

/** Whether the body is a request or notification; batches and responses are refused in every revision. */
function isMessage(body: unknown): boolean {
  return methodOf(body) !== null;
}

/** What a call needs beyond its token, so that the client can ask its user for it (MCP authorization, Scope Challenge). */
function missingScopes(tools: ToolProvider, principal: Principal, body: unknown): readonly Scope[] | null {
  if (methodOf(body) !== 'tools/call') return null;
  const { params } = body as { params?: { name?: unknown } };
  return typeof params?.name === 'string' ? (tools.missingScopes?.(principal, params.name) ?? null) : null;
}

/** A 2025 client gets an event stream only for progress that it asked for, of a tool that has any. */
function wantsStream(tools: ToolProvider, request: Request, body: unknown): boolean {
  if (methodOf(body) !== 'tools/call' || tools.reportsProgress === undefined) return false;
  const { params } = body as { params?: { name?: unknown; _meta?: { progressToken?: unknown } } };
  if (typeof params?.name !== 'string' || params._meta?.progressToken === undefined) return false;
  return (request.headers.get('accept') ?? '').includes('text/event-stream') && tools.reportsProgress(params.name);
}

function exchangeOf(exchanges: WeakMap<Request, Exchange>, request: Request | undefined): Exchange {
  const exchange = request && exchanges.get(request);
  if (exchange === undefined) throw new Error('the SDK made a server for a request that is not open');
  return exchange;
}
