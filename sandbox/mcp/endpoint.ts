/** The MCP endpoint of a service: the official server SDK in both eras, which answers calls as the service answers requests. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  UrlElicitationRequiredError,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type PlainAnswer, type SandboxRequest, toJsonAnswer } from '../http.ts';
import { isObject } from '../json.ts';
import { type LockedServer, type LockedTool, pathOfTool } from './lock.ts';

interface McpEndpointOptions {
  readonly lock: LockedServer;
  /** True if it speaks no revision after 2025-11-25. */
  readonly isLegacyOnly: boolean;
  /** Answers a call as a request with the arguments as its body. */
  readonly answer: (request: SandboxRequest) => Promise<PlainAnswer>;
}

/** Failures that only an MCP server has. */
export const MCP_FAILURES = ['session-lost', 'changed-definition', 'tool-error', 'asks-user', 'as-task'] as const;
type McpFailure = (typeof MCP_FAILURES)[number];

/** The MCP endpoint of a service. */
export interface McpEndpoint {
  /** Path below the service. */
  readonly path: string;
  /** Returns the name by which failures of a request are planned: of a tool, or `mcp:` and the method. */
  nameOf(request: SandboxRequest): string;
  answer(request: SandboxRequest, failure: McpFailure | null): Promise<PlainAnswer>;
}

/** Extension of 2026-07-28. */
const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
/** More tasks than this are forgotten, the oldest first. */
const MAX_TASKS = 100;
const PARAMS = { params: z.looseObject({ taskId: z.string() }) };

/** Parameters of the question that is asked of the user. */
const QUESTION = {
  mode: 'form',
  message: 'Which color?',
  requestedSchema: {
    type: 'object',
    properties: { color: { type: 'string', title: 'Color', enum: ['blue', 'red'] } },
    required: ['color'],
  },
};

/** More sessions than this are forgotten, the oldest first. */
const MAX_SESSIONS = 1000;

/** The HTTP request of the message that a server handles, and the failure that is planned for it. */
interface CurrentRequest {
  readonly request: SandboxRequest;
  readonly failure: McpFailure | null;
}

export function createMcpEndpoint({ lock, isLegacyOnly, answer }: McpEndpointOptions): McpEndpoint {
  const current = new AsyncLocalStorage<CurrentRequest>();
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const tools = new Map(lock.tools.map((tool) => [tool.name, tool]));

  const tasks = new Tasks();
  const createServer = (isModern: boolean): Server => {
    const { name, version } = lock.serverInfo;
    const extensions = isModern ? { extensions: { [TASKS_EXTENSION]: {} } } : {};
    const server = new Server({ name, version }, { capabilities: { tools: { listChanged: true }, ...extensions } });
    if (isModern) tasks.serve(server);
    server.setRequestHandler('tools/list', () => {
      const isChanged = current.getStore()?.failure === 'changed-definition';
      return { tools: listTools(lock, isChanged) as never };
    });
    server.setRequestHandler('tools/call', async ({ params }) => {
      const tool = tools.get(params.name);
      const store = current.getStore();
      if (tool === undefined || store === undefined) {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
      }
      if (store.failure === 'tool-error') {
        return { isError: true, content: [{ type: 'text' as const, text: 'The tool failed, as it was told to.' }] };
      }
      if (store.failure === 'asks-user') return askUser(isModern);
      const result = toResult(tool, await answer(toToolRequest(store.request, tool, params.arguments ?? {})));
      return store.failure === 'as-task' && isModern ? (tasks.begin(result) as never) : result;
    });
    return server;
  };
  const handler = createMcpHandler(() => createServer(true), { legacy: 'reject' });

  /** Opens a session of 2025, or continues it. */
  const answerLegacy = async (request: Request, body: unknown): Promise<Response> => {
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const session = sessions.get(id);
      if (session !== undefined) return session.handleRequest(request, { parsedBody: body });
      const error = { code: -32001, message: 'Session not found' };
      return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
    }
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized(sessionId) {
        const [oldest] = sessions.keys();
        if (sessions.size >= MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
        sessions.set(sessionId, transport);
      },
      onsessionclosed: (sessionId) => void sessions.delete(sessionId),
    });
    await createServer(false).connect(transport);
    return transport.handleRequest(request, { parsedBody: body });
  };

  return {
    path: new URL(lock.url).pathname.replace(/\/+$/, ''),
    nameOf(request) {
      const { method, params } = readMessage(request);
      return method === 'tools/call' && isObject(params) ? String(params.name) : `mcp:${method}`;
    },
    answer(request, failure) {
      if (request.method === 'GET')
        return Promise.resolve(toJsonAnswer(405, { message: 'This server opens no stream.' }));
      if (failure === 'session-lost') sessions.clear();
      const body = request.method === 'POST' ? readMessage(request) : undefined;
      const webRequest = toWebRequest(request, body !== undefined);
      return current.run({ request, failure }, async () => {
        const isLegacy = isLegacyOnly || body === undefined || (await isLegacyRequest(webRequest.clone(), body));
        const response = isLegacy
          ? await answerLegacy(webRequest, body)
          : await handler.fetch(webRequest, { parsedBody: body });
        const bytes = Buffer.from(await response.arrayBuffer());
        return { status: response.status, headers: Object.fromEntries(response.headers), body: bytes };
      });
    },
  };
}

/** Asks the user in the result; or on a page, by an error, in 2025: there a question needs a stream. */
function askUser(isModern: boolean): never {
  if (isModern) {
    const inputRequests = { color: { method: 'elicitation/create', params: QUESTION } };
    return { resultType: 'input_required', inputRequests, requestState: randomUUID() } as never;
  }
  const page = {
    mode: 'url',
    message: QUESTION.message,
    url: 'https://sandbox.example/color',
    elicitationId: randomUUID(),
  };
  throw new UrlElicitationRequiredError([page as never]);
}

function listTools({ tools }: LockedServer, isChanged: boolean): readonly LockedTool[] {
  return isChanged ? tools.map((tool) => ({ ...tool, description: `${tool.description} Changed.` })) : tools;
}

function toWebRequest({ url, method, headers, body }: SandboxRequest, hasBody: boolean): Request {
  return new Request(url, { method, headers, body: hasBody ? new Uint8Array(body) : null });
}

function readMessage({ body }: SandboxRequest): { readonly method?: unknown; readonly params?: unknown } {
  try {
    const message: unknown = JSON.parse(body.toString('utf8'));
    return isObject(message) ? message : {};
  } catch {
    return {};
  }
}

/** The request inside the sandbox that stands for a call. */
function toToolRequest(request: SandboxRequest, tool: LockedTool, args: unknown): SandboxRequest {
  const pathname = pathOfTool(tool.name);
  const headers = { ...request.headers, 'content-type': 'application/json', accept: 'application/json' };
  const url = new URL(pathname + request.url.search, request.url);
  return { ...request, method: 'POST', url, pathname, headers, body: Buffer.from(JSON.stringify(args)) };
}

function toResult(tool: LockedTool, { status, body }: PlainAnswer) {
  const text = body.toString('utf8');
  if (status !== 200) return { isError: true, content: [{ type: 'text' as const, text }] };
  if (tool.outputSchema === undefined)
    return { content: [{ type: 'text' as const, text: `Sample result of ${tool.name}.` }] };
  return { content: [{ type: 'text' as const, text }], structuredContent: JSON.parse(text) as never };
}

/** Tasks of the endpoint: each has ended when its state is first read. */
class Tasks {
  readonly #results = new Map<string, object>();

  /** Stores a result. Returns the answer that names its task. */
  begin(result: object): object {
    const taskId = randomUUID();
    const [oldest] = this.#results.keys();
    if (this.#results.size >= MAX_TASKS && oldest !== undefined) this.#results.delete(oldest);
    this.#results.set(taskId, result);
    return { resultType: 'task', ...toTask(taskId, 'working') };
  }

  /** Adds the requests about tasks to a server. */
  serve(server: Server): void {
    server.setRequestHandler('tasks/get', PARAMS, ({ taskId }) => {
      const result = this.#results.get(taskId);
      if (result === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown task: ${taskId}`);
      return { ...toTask(taskId, 'completed'), result } as never;
    });
    server.setRequestHandler('tasks/cancel', PARAMS, ({ taskId }) => {
      this.#results.delete(taskId);
      return {} as never;
    });
  }
}

function toTask(taskId: string, status: string) {
  const now = new Date().toISOString();
  return { taskId, status, createdAt: now, lastUpdatedAt: now, ttlMs: null, pollIntervalMs: 100 };
}
