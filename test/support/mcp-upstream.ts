/** Remote MCP servers on this machine: the official servers of both eras, and one whose answers a test writes itself. */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { Server as LegacyServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { type Host, startHost } from '../server/call/upstream/support.ts';

export interface McpUpstream extends Host {
  readonly url: string;
  /** The tools of the list, as the server sends them. */
  tools: readonly object[];
}

/** Answers a request in place of the server, and returns true then. */
type Guard = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

const INFO = { name: 'Acme Notes MCP Server', version: '1.2.0', title: 'Acme Notes' };
const OPTIONS = { capabilities: { tools: {} }, instructions: 'Notes of Acme.' };

/** The official server of 2026, which speaks both eras. */
export function startMcpUpstream(tools: readonly object[], guard?: Guard): Promise<McpUpstream> {
  return listen(tools, guard, (upstream) => {
    const handler = toNodeHandler(
      createMcpHandler(() => {
        const server = new Server(INFO, OPTIONS);
        server.setRequestHandler('tools/list', () => ({ tools: upstream.tools }) as never);
        return server;
      }),
    );
    return (request, response) => handler(request as NodeIncomingMessageLike, response);
  });
}

/** The official server of 2025, which knows no other era. */
export function startLegacyUpstream(tools: readonly object[]): Promise<McpUpstream> {
  return listen(tools, undefined, (upstream) => async (request, response) => {
    const server = new LegacyServer(INFO, OPTIONS);
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: upstream.tools }) as never);
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport as never);
    await transport.handleRequest(request, response);
  });
}

/** A server of 2026 whose pages a test writes. @param page of a cursor, which is undefined for the first. */
export function startScriptedUpstream(page: (cursor: string | undefined) => object): Promise<McpUpstream> {
  return listen([], undefined, () => async (request, response) => {
    const { id, method, params } = JSON.parse(await text(request));
    const result =
      method === 'server/discover'
        ? { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' }
        : { ttlMs: 0, cacheScope: 'private', ...page(params.cursor) };
    const _meta = { 'io.modelcontextprotocol/serverInfo': INFO };
    const message = { jsonrpc: '2.0', id, result: { resultType: 'complete', _meta, ...result } };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
  });
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function listen(
  tools: readonly object[],
  guard: Guard = () => false,
  createHandler: (upstream: { readonly tools: readonly object[] }) => Handler,
): Promise<McpUpstream> {
  const upstream = { tools };
  const handler = createHandler(upstream);
  const listener: RequestListener = async (request, response) => {
    if (!(await guard(request, response))) await handler(request, response);
  };
  const host = await startHost(listener);
  return Object.assign(upstream, host, { url: `${host.origin}/mcp` });
}
