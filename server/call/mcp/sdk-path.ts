/** Answers messages with the official SDK: all that are not recognised, including every invalid one. */

import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import {
  type CreateMcpHandlerOptions,
  createMcpHandler,
  isLegacyRequest,
  type ListToolsResult,
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type ServerEvent,
  type ServerEventBus,
  type StandardSchemaV1,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import { type HttpExchange, STREAM_HEADERS } from '../../base/http/exchange.ts';
import type { Principal } from '../../base/principal/principal.ts';
import {
  type CallAnswer,
  InvalidCallError,
  type ProtocolEra,
  type ToolCallContext,
  type ToolResult,
} from '../tools/provider.ts';
import { McpError } from './additions.ts';
import type { PathOptions } from './fast-path.ts';
import { CACHE_HINTS, type Introduction, introduce } from './introduction.ts';
import { idOf, isObject, METHOD_NOT_FOUND, methodOf, toErrorText } from './json-rpc.ts';
import type { ListStreams, OpenStream } from './list-streams.ts';
import {
  acceptsEvents,
  clientOf,
  type ProgressTiming,
  reportWhileWaiting,
  toEvent,
  type WatchedCall,
} from './open-calls.ts';
import { withPlainErrors } from './plain-errors.ts';
import { batchOf } from './recognise.ts';

export interface SdkPath {
  /** @param result of the call in the body, if it was already made. */
  serve(exchange: HttpExchange, principal: Principal, body: unknown, result: ToolResult | null): Promise<void>;
  /** Ends the exchanges that are still open. */
  close(): Promise<void>;
}

/** Creates the path through the SDK. */
export function createSdkPath(options: PathOptions & { readonly logger: Logger }): SdkPath {
  const requests = new WeakMap<Request, SdkRequest>();
  const createModern = (more: CreateMcpHandlerOptions): McpHttpHandler =>
    createMcpHandler(({ requestInfo }) => createProtocolServer(options, openRequest(requests, requestInfo), '2026'), {
      legacy: 'reject',
      onerror: (error) => options.logger.debug({ err: error }, 'mcp request refused'),
      ...more,
    });
  // Each subscription has a handler of its own, because a handler tells all its subscribers the same.
  const modern = createModern({ maxSubscriptions: 0 });

  const serveModern = async (request: Request, body: unknown, reserved: ReservedStream | null): Promise<Response> => {
    if (reserved !== null) return serveListen(createModern, request, body, reserved);
    const answer = await modern.fetch(request, { parsedBody: body });
    // The SDK serves this method itself, after all checks, whatever the server declares.
    if (!answer.ok || methodOf(body) !== LISTEN) return answer;
    const text = toErrorText(idOf(body), METHOD_NOT_FOUND, 'Method not found');
    return new Response(text, { status: 404, headers: { 'content-type': 'application/json' } });
  };

  return {
    async serve(exchange, principal, body, result) {
      const { streams } = options;
      const isListen = streams !== undefined && methodOf(body) === LISTEN;
      const reserved = isListen
        ? { streams, principal, stream: streams.reserve(exchange, principal, idOf(body)) }
        : null;
      const answerTo = async (request: Request): Promise<Response> => {
        const isLegacy = await isLegacyMessage(exchange, request, body);
        const introduction = INTRODUCTIONS.has(methodOf(body)) ? await introduce(principal, options) : null;
        const open: SdkRequest = { exchange, principal, result, introduction };
        if (isLegacy) return serveLegacy(createProtocolServer(options, open, '2025'), request, body, options.progress);
        const isServed = options.additions['2026'].methods.has(methodOf(body) ?? '');
        const sdkRequest = isServed ? request : withoutTaskName(request, body);
        requests.set(sdkRequest, open);
        return serveModern(sdkRequest, body, reserved);
      };
      const answer = async (request: Request) => withPlainErrors(await answerTo(request));
      const onerror = (error: Error) => exchange.log.error({ err: error }, 'mcp request failed');
      const response = exchange.handOver();
      await toNodeHandler({ fetch: answer }, { onerror })(exchange.request as NodeIncomingMessageLike, response, body);
    },
    close: () => modern.close(),
  };
}

const LISTEN = 'subscriptions/listen';
const INTRODUCTIONS: ReadonlySet<string | null> = new Set(['initialize', 'server/discover']);

/** The place of a stream that the SDK may open. */
interface ReservedStream {
  readonly streams: ListStreams;
  readonly stream: OpenStream;
  readonly principal: Principal;
}

/** Opens a stream, with a handler of its own. */
async function serveListen(
  createHandler: (options: CreateMcpHandlerOptions) => McpHttpHandler,
  request: Request,
  body: unknown,
  { streams, stream, principal }: ReservedStream,
): Promise<Response> {
  let publish: ((event: ServerEvent) => void) | undefined;
  const bus: ServerEventBus = {
    publish: () => {},
    subscribe(listener) {
      publish = listener;
      return () => {};
    },
  };
  const handler = createHandler({ bus, maxSubscriptions: 1 });
  const answer = await handler.fetch(request, { parsedBody: body });
  if (publish === undefined) return answer;
  const notify = publish;
  await streams.begin(stream, principal, () => ({
    notify: () => notify({ kind: 'tools_list_changed' }),
    // The SDK does it.
    keepAlive: () => {},
    end: () => void handler.close(),
  }));
  return answer;
}

/**
 * The SDK asks every server for `Mcp-Name` in `tasks/*`, where only the extension asks for it (Tasks 2026-07-28, Routing Headers;
 * SEP-2243 names three other methods). A server without tasks has no such method: with that header, the SDK says so.
 */
function withoutTaskName(request: Request, body: unknown): Request {
  if (methodOf(body)?.startsWith('tasks/') !== true) return request;
  const { params } = body as Members;
  const { taskId } = (isObject(params) ? params : {}) as Members;
  if (typeof taskId !== 'string') return request;
  const headers = new Headers(request.headers);
  headers.set('mcp-name', `=?base64?${Buffer.from(taskId).toString('base64')}?=`);
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

/** Responses are refused in every revision, and batches in revisions without them; the SDK answers so. */
async function isLegacyMessage(
  { request: { headers } }: HttpExchange,
  request: Request,
  body: unknown,
): Promise<boolean> {
  for (const message of batchOf(headers, body) ?? [body]) {
    if (methodOf(message) === null || !(await isLegacyRequest(request, message))) return false;
  }
  return true;
}

function openRequest(requests: WeakMap<Request, SdkRequest>, request: Request | undefined): SdkRequest {
  const open = request && requests.get(request);
  if (open === undefined) throw new Error('the SDK made a server for a request that is not open');
  return open;
}

/** One request as the SDK's handlers get it. */
interface SdkRequest {
  readonly exchange: HttpExchange;
  readonly principal: Principal;
  /** Null if it is no request for one. */
  readonly introduction: Introduction | null;
  /** Result of the tool's first call, if it was already made. */
  result: ToolResult | null;
}

const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** The modules check the parameters of their methods. */
const ANY_PARAMS: { readonly '~standard': StandardSchemaV1<unknown, Members>['~standard'] } = {
  '~standard': {
    version: 1,
    vendor: 'unified-tool-gateway',
    validate(params) {
      const { _meta, ...value } = params as Members;
      return { value };
    },
  },
};

/**
 * Creates the server of one request.
 *
 * Declares `tools`, what modules add, and nothing else: no `logging`.
 */
function createProtocolServer(options: PathOptions, request: SdkRequest, era: ProtocolEra): Server {
  const { exchange, principal } = request;
  const { capabilities, methods } = options.additions[era];
  const isIntroduction = era === '2025' || exchange.request.headers['mcp-method'] === 'server/discover';
  const { icons, ...infoWithoutIcons } = options.serverInfo;
  const server = new Server(isIntroduction && icons ? { ...infoWithoutIcons, icons: [...icons] } : infoWithoutIcons, {
    capabilities,
    instructions: options.instructions,
    cacheHints: CACHE_HINTS,
    ...request.introduction,
  });
  server.onerror = (error) => exchange.log.debug({ err: error }, 'mcp protocol error');

  server.setRequestHandler('tools/list', async ({ params }) => {
    const { json, nextCursor } = await guarded(exchange, async () => options.tools.list(principal, params?.cursor));
    const tools = JSON.parse(Buffer.from(json).toString('utf8'));
    const result: ListToolsResult = { tools };
    if (nextCursor !== undefined) result.nextCursor = nextCursor;
    return result;
  });

  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, context) => {
    const earlierResult = request.result;
    request.result = null;
    if (earlierResult !== null) return toWire(earlierResult);
    const stop = era === '2025' ? () => {} : reportProgress(name, exchange, context, options.progress);
    const open = era === '2025' ? options.openCalls.begin(clientOf(exchange, principal), context.mcpReq.id) : null;
    const call = {
      ...toCallContext(exchange, open?.signal ?? exchange.disconnected, era, context),
      ...(options.sessions && { callerNow: options.sessions.callerNow.bind(options.sessions, exchange) }),
    };
    try {
      const result = await guarded(exchange, () => options.tools.call(principal, name, args, call));
      return toWire(options.toForm(result, { exchange, principal, name }));
    } finally {
      stop();
      open?.end();
    }
  });

  for (const [method, handle] of methods) {
    server.setRequestHandler(method, { params: ANY_PARAMS }, (params, context) => {
      const call: ToolCallContext = {
        ...toCallContext(exchange, exchange.disconnected, era, context),
        toForm: (result, name) => options.toForm(result, { exchange, principal, name }),
      };
      return guarded(exchange, () => handle(principal, params, call));
    });
  }
  return server;
}

/** The SDK expects results as its own types, which are closed where the provider's are open. */
function toWire(result: CallAnswer) {
  return result as unknown as { content: [] };
}

/** Lets protocol errors through, and hides the messages of all others, which the SDK would send to the client. */
async function guarded<T>(exchange: HttpExchange, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidCallError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    if (error instanceof McpError) throw new ProtocolError(error.code, error.message, error.data);
    exchange.log.error({ err: error }, 'a tool provider failed');
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error');
  }
}

/** Only in 2026: in 2025 the SDK cannot turn an answer into a stream, so `answerOrStream` does it. */
function reportProgress(
  name: string,
  { request }: HttpExchange,
  { mcpReq }: ServerContext,
  timing: ProgressTiming,
): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined || !acceptsEvents(request.headers.accept)) return () => {};
  return reportWhileWaiting({ name, progressToken }, timing, (params) => {
    mcpReq.notify({ method: 'notifications/progress', params: { ...params } }).catch(() => {});
  });
}

function toCallContext(
  exchange: HttpExchange,
  signal: AbortSignal,
  era: ProtocolEra,
  { mcpReq }: ServerContext,
): ToolCallContext {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const requestState: unknown = mcpReq.requestState();
  return {
    era,
    signal,
    requestId: exchange.requestId,
    clientCapabilities: (envelope?.[CLIENT_CAPABILITIES] as Record<string, unknown> | undefined) ?? {},
    meta: mcpReq._meta ?? {},
    inputResponses: mcpReq.inputResponses ?? {},
    requestState: typeof requestState === 'string' ? requestState : null,
    waitSeconds: null,
  };
}

const BOTH_MEDIA_TYPES = 'application/json, text/event-stream';

/**
 * Answers one message or batch of a 2025 client.
 *
 * Accepts any `Accept`, and any `Content-Type` that the endpoint let through, so that a plain `curl -d` works. Progress of calls
 * is reported if their client asked for it and accepts a stream.
 */
async function serveLegacy(server: Server, request: Request, body: unknown, timing: ProgressTiming): Promise<Response> {
  const pendingResponse = answerAtOnce(server, request, body);
  const watched = acceptsEvents(request.headers.get('accept') ?? undefined) ? findWatched(body) : [];
  return watched.length === 0 ? pendingResponse : answerOrStream(pendingResponse, watched, timing);
}

async function answerAtOnce(server: Server, request: Request, body: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  const headers = new Headers(request.headers);
  headers.set('accept', BOTH_MEDIA_TYPES);
  headers.set('content-type', 'application/json');
  const answered = await transport.handleRequest(new Request(request.url, { method: 'POST', headers }), {
    parsedBody: body,
  });
  await transport.close();
  return answered.ok ? answered : withRequestId(answered, body);
}

/** @param body one message or a batch, unchecked. */
function findWatched(body: unknown): WatchedCall[] {
  return [body].flat().flatMap((message): WatchedCall[] => {
    if (methodOf(message) !== 'tools/call' || idOf(message) === null) return [];
    const { name, _meta } = ((message as Members).params ?? {}) as Members;
    const { progressToken } = (_meta ?? {}) as Members;
    const isToken = typeof progressToken === 'string' || typeof progressToken === 'number';
    return isToken && typeof name === 'string' ? [{ name, progressToken }] : [];
  });
}

type Members = Readonly<Record<string, unknown>>;

/** The answer itself; or, once a call has taken so long that there is progress to report, a stream that ends with the answer. */
function answerOrStream(
  pendingResponse: Promise<Response>,
  watched: readonly WatchedCall[],
  timing: ProgressTiming,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let stream: ReadableStreamDefaultController<Uint8Array> | null = null;
    const send = (message: object): void => stream?.enqueue(Buffer.from(toEvent(JSON.stringify(message))));
    const stop = (): void => {
      for (const stopReport of stops) stopReport();
    };
    const open = (): void => {
      if (stream !== null) return;
      const cancel = (): void => {
        stop();
        stream = null;
      };
      const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
        stream = controller;
      };
      resolve(new Response(new ReadableStream<Uint8Array>({ start, cancel }), { headers: STREAM_HEADERS }));
    };
    const stops = watched.map((call) =>
      reportWhileWaiting(call, timing, (params) => {
        open();
        send({ jsonrpc: '2.0', method: 'notifications/progress', params });
      }),
    );
    const end = async (answered: Response): Promise<void> => {
      stop();
      resolve(answered);
      if (stream === null) return;
      for (const message of [await answered.json()].flat()) send(message as object);
      stream?.close();
    };
    pendingResponse.then(end).catch(reject).finally(stop);
  });
}

/** The SDK refuses an unknown revision without the id of the request, which JSON-RPC requires (§5). */
async function withRequestId(response: Response, body: unknown): Promise<Response> {
  const id = idOf(body);
  const error = (await response.json()) as Record<string, unknown>;
  return Response.json(id === null ? error : { ...error, id }, { status: response.status });
}
