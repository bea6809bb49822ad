/** The v2 SDK as its examples use it: one server per request, both generations of the protocol. */

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server';
import { callUpstream, readJson, readServerSettings } from '../call.ts';

const { port, upstream, listFile } = readServerSettings();
const list = JSON.parse(readFileSync(listFile, 'utf8')) as { tools: Tool[] };

const handler = createMcpHandler(() => {
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => list);
  server.setRequestHandler('tools/call', async ({ params }) => {
    const text = await callUpstream(upstream, params.arguments ?? {});
    return { content: [{ type: 'text', text }] };
  });
  return server;
});

// The SDK's types do not accept Node's own under exactOptionalPropertyTypes.
const answer = toNodeHandler(handler) as (...given: [IncomingMessage, ServerResponse, unknown]) => Promise<void>;

createServer(async (request, response) => answer(request, response, await readJson(request))).listen(port, '127.0.0.1');
