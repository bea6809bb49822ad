/** The v1 SDK as its examples use it, with plain JSON responses: one server per session. */

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from '@modelcontextprotocol/sdk/types.js';
import { callUpstream, readJson, readServerSettings } from '../call.ts';

const { port, upstream, listFile } = readServerSettings();
const list = JSON.parse(readFileSync(listFile, 'utf8')) as { tools: Tool[] };
const sessions = new Map<string, StreamableHTTPServerTransport>();

function createProtocolServer(): Server {
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => list);
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const text = await callUpstream(upstream, params.arguments ?? {});
    return { content: [{ type: 'text', text }] };
  });
  return server;
}

async function createTransport(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    enableJsonResponse: true,
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  // The SDK's own types conflict under exactOptionalPropertyTypes.
  await createProtocolServer().connect(transport as Parameters<Server['connect']>[0]);
  return transport;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const session = request.headers['mcp-session-id'];
  const transport = (typeof session === 'string' ? sessions.get(session) : undefined) ?? (await createTransport());
  await transport.handleRequest(request, response, await readJson(request));
}

createServer((request, response) => void answer(request, response)).listen(port, '127.0.0.1');
