/**
 * `@ivotoby/openapi-mcp-server` on a descriptor with one operation per tool, as a library behind the v1 SDK's transport.
 *
 * Its own transport answers a call with 202 and sends the result on the session's GET stream; all other servers answer in the response, as
 * the specification says (MCP 2025-11-25, Streamable HTTP).
 */

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CREDENTIAL, readJson, readServerSettings, TOOL_NAME } from '../call.ts';

interface OpenApiServer {
  start(transport: StreamableHTTPServerTransport): Promise<void>;
}
interface Package {
  readonly OpenAPIServer: new (config: Readonly<Record<string, unknown>>) => OpenApiServer;
}

const { port, upstream } = readServerSettings();
const [module = '', toolCount = '0'] = process.argv.slice(2);
const { OpenAPIServer } = (await import(module)) as Package;
const descriptor = JSON.stringify(createDescriptor(Number(toolCount)));
const sessions = new Map<string, StreamableHTTPServerTransport>();

function createDescriptor(operations: number): object {
  const inQuery = (name: string, type: string) => ({
    name,
    in: 'query',
    schema: { type },
    description: `The ${name}.`,
  });
  const paths = Array.from({ length: operations }, (_, index) => [
    `/v1/brands/{brandId}/contacts${index === 0 ? '' : `/${index}`}`,
    {
      get: {
        operationId: index === 0 ? TOOL_NAME : `${TOOL_NAME}_${index}`,
        description: 'Lists the contacts of one brand, or of one of its lists with listId.',
        parameters: [
          { name: 'brandId', in: 'path', required: true, schema: { type: 'string' }, description: 'The brand.' },
          inQuery('limit', 'integer'),
          inQuery('cursor', 'string'),
          inQuery('listId', 'string'),
        ],
        responses: { 200: { description: 'One page of contacts.' } },
      },
    },
  ]);
  return { openapi: '3.0.3', info: { title: 'Bench', version: '1' }, paths: Object.fromEntries(paths) };
}

async function createTransport(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    enableJsonResponse: true,
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  const server = new OpenAPIServer({
    name: 'bench',
    version: '1.0.0',
    apiBaseUrl: upstream,
    openApiSpec: 'inline',
    specInputMethod: 'inline',
    inlineSpecContent: descriptor,
    headers: { 'X-API-Key': CREDENTIAL },
    transportType: 'http',
    toolsMode: 'all',
    disableAbbreviation: true,
    verbose: false,
  });
  await server.start(transport);
  return transport;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const session = request.headers['mcp-session-id'];
  const transport = (typeof session === 'string' ? sessions.get(session) : undefined) ?? (await createTransport());
  await transport.handleRequest(request, response, await readJson(request));
}

createServer((request, response) => void answer(request, response)).listen(port, '127.0.0.1');
