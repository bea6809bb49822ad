/** Runs the MCP endpoint behind a server that reads the caller's name from the access token. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import type { BodyBudget } from '../../../../server/base/http/body-budget.ts';
import { createChallenges } from '../../../../server/base/http/challenge.ts';
import { createFront } from '../../../../server/base/http/front.ts';
import type { Principal } from '../../../../server/base/principal/principal.ts';
import { createMcpEndpoint, type McpEndpointOptions } from '../../../../server/call/mcp/endpoint.ts';
import { readCursor, toPageAfter } from '../../../../server/call/tools/catalogue/list-pages.ts';
import {
  type CompleteToolResult,
  type ToolCallContext,
  type ToolProvider,
  type ToolResult,
  UnknownToolError,
} from '../../../../server/call/tools/provider.ts';
import { createPrincipal } from '../tools/support.ts';

export const SILENT = pino({ level: 'silent' });

export interface RunningEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

export type EndpointOptions = Partial<McpEndpointOptions> & {
  readonly tools: ToolProvider;
  readonly bodies?: BodyBudget;
  /** Of every caller. Default: connected to one service, without limits. */
  readonly principal?: Partial<Principal>;
};

export async function startEndpoint(options: EndpointOptions): Promise<RunningEndpoint> {
  const log = options.logger ?? SILENT;
  const endpoint = createMcpEndpoint({
    serverInfo: { name: 'test-gateway', version: '1.2.3' },
    instructions: 'Call tools.',
    logger: SILENT,
    maxBodyBytes: 64 * 1024,
    limit: { consume: async () => null },
    challenges: createChallenges({ issuer: 'http://127.0.0.1', path: '/api/mcp/unified' }),
    ...options,
  });
  let requests = 0;
  const front = createFront(
    {
      config: { publicUrl: 'http://127.0.0.1', allowedOrigins: [] },
      log,
      addressOf: () => '127.0.0.1',
      path: '/api/mcp/unified',
      stopping: new AbortController().signal,
      ...(options.bodies === undefined ? {} : { bodies: options.bodies }),
      async authenticate(authorization) {
        const user = authorization.replace(/^Bearer /, '') || 'user-1';
        return createPrincipal({ userId: user, tokenId: `token-of-${user}`, ...options.principal });
      },
    },
    endpoint.serve,
  );
  const server = createServer((request, response) => {
    requests += 1;
    request.headers['x-request-id'] = `request-${requests}`;
    front(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/mcp/unified`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await endpoint.close();
    },
  };
}

export const ECHO_TOOL = {
  name: 'library_echo',
  title: 'Echo',
  description: 'Says what it was told: "tools":[] — größer.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
  outputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
};

export type Call = (
  args: Readonly<Record<string, unknown>>,
  context: ToolCallContext,
  principal: Principal,
) => Promise<ToolResult> | ToolResult;

export function provideTools(
  calls: Readonly<Record<string, Call>>,
  tools: readonly { readonly name: string }[] = [ECHO_TOOL],
  pageTools = 1000,
): ToolProvider {
  const listed = tools.map((tool) => [tool.name, JSON.stringify(tool)] as const);
  return {
    list: (_, cursor = null) =>
      cursor === null ? toPageAfter(listed, '', pageTools) : toPageAfter(listed, readCursor(cursor), pageTools),
    dryRun: async (_, name) => Promise.reject(new UnknownToolError(name, [])),
    async call(principal, name, args, context) {
      const call = calls[name];
      if (call === undefined) throw new UnknownToolError(name, []);
      return call(args, context, principal);
    },
  };
}

export function echo(args: Readonly<Record<string, unknown>>): CompleteToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(args) }], structuredContent: args };
}

export const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

export interface Message {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly id?: string | number;
}

export function modernRequest({ method, params = {}, id = 1 }: Message): RequestInit {
  const { name } = params;
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { _meta: MODERN_META, ...params } }),
  };
}

export function legacyRequest({ method, params, id = 1 }: Message): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }),
  };
}
