/** The SDK's protocol server for one request: `tools/list` and `tools/call`, answered by a tool provider. */

import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import type { RateLimiter } from '../rate-limiter.ts';
import {
  InvalidCallError,
  type ProtocolEra,
  type ToolCallContext,
  type ToolProvider,
  type ToolResult,
} from '../tools/provider.ts';
import type { Exchange } from './exchange.ts';

/** What the server says of itself. */
export interface ServerInfo {
  readonly name: string;
  readonly title?: string;
  readonly version: string;
  readonly websiteUrl?: string;
}

/** What every request's server has in common. */
export interface ProtocolServerOptions {
  readonly tools: ToolProvider;
  readonly limit?: RateLimiter;
  readonly serverInfo: ServerInfo;
  /** How to use this server, for models. */
  readonly instructions: string;
  /** How long clients may keep a list of tools, in milliseconds. */
  readonly listTtlMs: number;
  /** False: the SDK writes the tools itself. The bytes are the same; only a test needs to see that. */
  readonly splice: boolean;
}

const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const DISCOVER_TTL_MS = 3_600_000;

/**
 * Creates the server of one request.
 *
 * Declares `tools` and nothing else: no `listChanged`, so that clients hold no stream open, and no `logging`.
 */
export function createProtocolServer(options: ProtocolServerOptions, exchange: Exchange, era: ProtocolEra): Server {
  const server = new Server(options.serverInfo, {
    capabilities: { tools: {} },
    instructions: options.instructions,
    cacheHints: {
      'tools/list': { ttlMs: options.listTtlMs, cacheScope: 'private' },
      'server/discover': { ttlMs: DISCOVER_TTL_MS, cacheScope: 'public' },
    },
  });
  server.onerror = (error) => exchange.log.debug({ err: error }, 'mcp protocol error');

  server.setRequestHandler('tools/list', async (request) => {
    // All tools are on the first page, so there is no cursor that this server ever gave out.
    if (request.params?.cursor !== undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor');
    const list = await guarded(exchange, async () => options.tools.list(exchange.principal));
    if (!options.splice) return { tools: JSON.parse(Buffer.from(list.json).toString('utf8')) };
    exchange.list = list;
    return { tools: [] };
  });

  server.setRequestHandler('tools/call', async (request, context) => {
    const { name, arguments: args = {} } = request.params;
    const waitSeconds = (await options.limit?.consume(exchange.principal.userId)) ?? null;
    const requestBytes = Buffer.byteLength(JSON.stringify(args));
    const call = createCallContext(exchange, era, context, { waitSeconds, requestBytes });
    try {
      const result = await guarded(exchange, () => options.tools.call(exchange.principal, name, args, call.context));
      return toWire(result);
    } finally {
      call.end();
    }
  });
  return server;
}

/** The SDK takes results as its own types, which are closed where the provider's are open. */
function toWire(result: ToolResult) {
  return result as unknown as { content: [] };
}

/** Lets protocol errors through and hides all others, whose message the SDK would send to the client. */
async function guarded<T>(exchange: Exchange, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidCallError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    exchange.log.error({ err: error }, 'a tool provider failed');
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error');
  }
}

function createCallContext(
  exchange: Exchange,
  era: ProtocolEra,
  { mcpReq }: ServerContext,
  facts: Pick<ToolCallContext, 'waitSeconds' | 'requestBytes'>,
): { context: ToolCallContext; end(): void } {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const requestState: unknown = mcpReq.requestState();
  const token = mcpReq._meta?.progressToken;
  let ended = false;
  let last = Number.NEGATIVE_INFINITY;

  const context: ToolCallContext = {
    ...facts,
    era,
    signal: exchange.disconnected,
    requestId: exchange.requestId,
    clientCapabilities: (envelope?.[CLIENT_CAPABILITIES] as Record<string, unknown> | undefined) ?? {},
    inputResponses: mcpReq.inputResponses ?? {},
    requestState: typeof requestState === 'string' ? requestState : null,
    progress:
      token === undefined || !exchange.streams
        ? null
        : async (update) => {
            // Progress must grow, and must not be sent once the call is over (MCP, Progress).
            if (ended || update.progress <= last) return;
            last = update.progress;
            await mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, ...update } });
          },
  };
  return {
    context,
    end: () => {
      ended = true;
    },
  };
}
