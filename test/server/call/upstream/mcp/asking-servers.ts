import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { Server as LegacyServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import type { McpTool } from '../../../../../shared/mcp/lock.ts';

const INFO = { name: 'people', version: '1' };
const OPTIONS = { capabilities: { tools: {} } };

export interface Asked {
  /** Parameters of `elicitation/create`. */
  params: Readonly<Record<string, unknown>>;
  /** Answers that the server has received. */
  received: unknown[];
}

const resultOf = (response: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(response) }] });

/** The official server of 2026: it asks before it answers a call. */
export function askingServer(tools: readonly McpTool[], asked: Asked): RequestListener {
  const create = () => {
    const server = new Server(INFO, OPTIONS);
    server.setRequestHandler('tools/list', () => ({ tools }) as never);
    server.setRequestHandler('tools/call', (_, { mcpReq }) => {
      const response = mcpReq.inputResponses?.ask;
      if (response !== undefined) {
        asked.received.push(response);
        return resultOf(response);
      }
      const inputRequests = { ask: { method: 'elicitation/create', params: asked.params } };
      return { resultType: 'input_required', inputRequests, requestState: 'server-state' } as never;
    });
    return server;
  };
  const handler = toNodeHandler(createMcpHandler(create, { legacy: 'reject' }));
  return (request, response) => void handler(request as NodeIncomingMessageLike, response);
}

/** The official server of 2025: it asks in the middle of a call, on the stream of its answer. */
export function askingLegacyServer(tools: readonly McpTool[], asked: Asked): RequestListener {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const open = async () => {
    const server = new LegacyServer(INFO, OPTIONS);
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }) as never);
    server.setRequestHandler(CallToolRequestSchema, async (_, { sendRequest }) => {
      const request = { method: 'elicitation/create', params: asked.params } as never;
      const { ElicitResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
      const response = await sendRequest(request, ElicitResultSchema);
      asked.received.push(response);
      return resultOf(response);
    });
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    await server.connect(transport as never);
    return transport;
  };
  return async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const transport = typeof id === 'string' ? transports.get(id) : await open();
    if (transport === undefined) return void response.writeHead(404).end();
    await transport.handleRequest(request, response);
  };
}
