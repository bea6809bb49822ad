/** The SDK's protocol server for one request: `tools/list` and `tools/call`, answered by a tool provider. */

import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import type { HttpExchange } from '../../base/http/exchange.ts';
import type { Principal } from '../../base/principal/principal.ts';
import {
  InvalidCallError,
  type ProtocolEra,
  type ToolCallContext,
  type ToolProvider,
  type ToolResult,
} from '../tools/provider.ts';
import type { OpenCalls } from './open-calls.ts';
import { acceptsEvents, type ProgressTiming, reportWhileWaiting } from './progress.ts';
import { CACHE_HINTS, type ServerDescription } from './server-description.ts';

/** What the servers of all requests share. */
export interface ProtocolServerOptions extends ServerDescription {
  readonly tools: ToolProvider;
  readonly progress: ProgressTiming;
  readonly openCalls: OpenCalls;
}

/** One request as the SDK's handlers get it. */
export interface SdkRequest {
  readonly exchange: HttpExchange;
  readonly principal: Principal;
  /** Result of the tool's first call, if it was already made. */
  result: ToolResult | null;
}

const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/**
 * Creates the server of one request.
 *
 * Declares `tools` and nothing else: no `listChanged`, so that clients hold no stream open, and no `logging`.
 */
export function createProtocolServer(options: ProtocolServerOptions, request: SdkRequest, era: ProtocolEra): Server {
  const { exchange, principal } = request;
  const server = new Server(options.serverInfo, {
    capabilities: { tools: {} },
    instructions: options.instructions,
    cacheHints: { ...CACHE_HINTS, 'tools/list': { ...CACHE_HINTS['tools/list'], ttlMs: options.listTtlMs } },
  });
  server.onerror = (error) => exchange.log.debug({ err: error }, 'mcp protocol error');

  server.setRequestHandler('tools/list', async ({ params }) => {
    const { json, nextCursor } = await guarded(exchange, async () => options.tools.list(principal, params?.cursor));
    const tools = JSON.parse(Buffer.from(json).toString('utf8'));
    return { tools, ...(nextCursor === undefined ? {} : { nextCursor }) };
  });

  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, context) => {
    const made = request.result;
    request.result = null;
    if (made !== null) return toWire(made);
    const stop = watch(name, era, exchange, context, options.progress);
    const open = era === '2025' ? options.openCalls.begin(principal.tokenId, context.mcpReq.id) : null;
    const call = toCallContext(exchange, open?.signal ?? exchange.disconnected, era, context);
    try {
      return toWire(await guarded(exchange, () => options.tools.call(principal, name, args, call)));
    } finally {
      stop();
      open?.end();
    }
  });
  return server;
}

/** The SDK expects results as its own types, which are closed where the provider's are open. */
function toWire(result: ToolResult) {
  return result as unknown as { content: [] };
}

/** Lets protocol errors through, and hides the messages of all others, which the SDK would send to the client. */
async function guarded<T>(exchange: HttpExchange, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidCallError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    exchange.log.error({ err: error }, 'a tool provider failed');
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error');
  }
}

/** Only in 2026: in 2025 the SDK cannot turn an answer into a stream, so `legacy-leg.ts` does it. */
function watch(
  name: string,
  era: ProtocolEra,
  { request }: HttpExchange,
  { mcpReq }: ServerContext,
  timing: ProgressTiming,
): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined || era === '2025' || !acceptsEvents(request.headers.accept)) return () => {};
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
