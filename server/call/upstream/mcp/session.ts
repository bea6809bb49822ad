/** The session of one connection at an MCP server: the official client in either era, and the definitions of the tools as they are now. */

import {
  Client,
  type ConnectOptions,
  type ElicitResult,
  type RequestOptions,
  type StandardSchemaV1,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { findUnsendableHeader, type HeaderArgument, readHeaderArguments } from '../../../../shared/mcp/headers.ts';
import { definitionDigest, findToolFaults, MCP_LIMITS, type McpTool } from '../../../../shared/mcp/lock.ts';
import { readRefusedPage } from '../../../../shared/mcp/refused-page.ts';
import type { McpAnswers } from '../answer.ts';
import { NOT_MCP, UpstreamFailure } from '../failures.ts';
import { CannotSendError } from '../serialize-sources.ts';
import { Exchange } from './exchange.ts';
import { awaitTask, extensionRequests, TASKS_EXTENSION, type TaskRequests, taskOfState } from './tasks.ts';

/** A server, and what the requests to it carry. */
export interface McpServer {
  /** Address of its MCP endpoint, with the credential's part of the query. */
  readonly url: string;
  /** Headers of every request, by lower-case name: the credential and `user-agent`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What all sessions have in common. */
export interface SessionDependencies {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Name and version with which the gateway introduces itself. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Longest time to open a session, or to list the tools. */
  readonly timeoutMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The definition of a tool at the server now. */
export interface LiveDefinition {
  /** See `definitionDigest`. */
  readonly digest: string;
  /** The tool, if its schema asks for arguments in headers. */
  readonly mirrored?: McpTool & { readonly headers: readonly HeaderArgument[] };
  /** True if a server of 2025-11-25 takes calls of the tool as tasks only. */
  readonly isTask?: boolean;
  /** True if the tool promises structured content. */
  readonly hasOutputSchema?: boolean;
}

/** One call of a tool. */
export interface SessionCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Headers in addition to those of the session. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly definition: LiveDefinition;
  readonly answers?: McpAnswers | undefined;
  /** Undefined if the caller wants no progress. */
  readonly onProgress?: ((message: string) => void) | undefined;
}

/** A list is read again after this time, because a server of 2025 cannot announce a change between calls. */
const LIST_TTL_MS = 60_000;
const MAX_PAGES = 100;
/** Of an argument in a header. Many servers take 8 KiB of headers, and Base64 makes a value longer. */
const MAX_HEADER_BYTES = 2048;
/** The exchange sets the deadline of a request. That of the client must not come before it, because its error does not say so. */
const CLIENT_TIMEOUT_MS = 3_600_000;

/** Results are checked where they are used, by the output schema as reviewed. */
const ANY_RESULT: StandardSchemaV1<unknown, Readonly<Record<string, unknown>>> = {
  '~standard': {
    version: 1 as const,
    vendor: 'unified-tool-gateway',
    validate: (value: unknown) => ({ value: value as Record<string, unknown> }),
  },
};
const NO_VALIDATOR = {
  getValidator: () => (value: unknown) => ({ valid: true, data: value, errorMessage: undefined }),
};

/** An open session. */
export class McpSession {
  readonly #server: McpServer;
  readonly #client: Client;
  readonly #transport: StreamableHTTPClientTransport;
  readonly #deps: SessionDependencies;
  #definitions: Promise<ReadonlyMap<string, LiveDefinition>> | null = null;
  #listedAt = 0;

  private constructor(
    server: McpServer,
    { client, transport }: { readonly client: Client; readonly transport: StreamableHTTPClientTransport },
    deps: SessionDependencies,
  ) {
    this.#server = server;
    this.#client = client;
    this.#transport = transport;
    this.#deps = deps;
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      this.#definitions = null;
    });
    client.setRequestHandler('elicitation/create', ({ params }) => {
      // Between calls, no one waits for the question.
      return (Exchange.current()?.answerQuestion(params) ?? { action: 'cancel' }) as ElicitResult;
    });
  }

  /**
   * Opens a session. Sampling and roots are not declared, so a server that asks for them gets an error. Each request to a server of 2026 says by itself
   * whether the user can be asked.
   *
   * @param isLegacy true if the server is known to speak no revision after 2025-11-25. Default: it is asked.
   * @throws as `Exchange.run`.
   */
  static open(server: McpServer, deps: SessionDependencies, isLegacy = false): Promise<McpSession> {
    const { url, headers } = server;
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { ...headers } },
      fetch: deps.fetch,
      onInsufficientScope: 'throw',
      reconnectionScheduler: (connect, delayMs) => Exchange.current()?.reconnect(connect, delayMs),
    });
    const client = new Client(deps.clientInfo, {
      versionNegotiation: { mode: 'auto' },
      capabilities: { elicitation: { form: {}, url: {} } },
      inputRequired: { autoFulfill: false },
      jsonSchemaValidator: NO_VALIDATOR as never,
    });
    const { signal } = new AbortController();
    const exchange = new Exchange({ signal, timeoutMs: deps.timeoutMs });
    const options: ConnectOptions = { signal: exchange.signal, timeout: CLIENT_TIMEOUT_MS };
    if (isLegacy) options.prior = { kind: 'legacy' };
    return exchange.run(async () => {
      await client.connect(transport, options);
      return new McpSession(server, { client, transport }, deps);
    });
  }

  /** True if the server speaks no revision after 2025-11-25. */
  get isLegacy(): boolean {
    return this.#client.getProtocolEra() === 'legacy';
  }

  /** True if the server gave the session an id, so that it can lose it. */
  get hasId(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  /**
   * Returns the definition of a tool as the server lists it now, or within the last minute. Undefined if the server has no such tool.
   *
   * @throws as `Exchange.run`.
   */
  async definitionOf(tool: string): Promise<LiveDefinition | undefined> {
    const { now } = this.#deps;
    if (this.#definitions === null || now() - this.#listedAt > LIST_TTL_MS) {
      this.#listedAt = now();
      const listing = this.#list();
      this.#definitions = listing;
      listing.catch(() => {
        if (this.#definitions === listing) this.#definitions = null;
      });
    }
    return (await this.#definitions).get(tool);
  }

  /** Calls a tool inside the current exchange. @returns the result as the server sent it, with every digit of its structured content. */
  async call(call: SessionCall): Promise<Readonly<Record<string, unknown>>> {
    const result = await this.#call(call);
    const exact = Exchange.current()?.exactResult as { readonly structuredContent?: unknown } | null | undefined;
    if (result.structuredContent === undefined || exact?.structuredContent === undefined) return result;
    return { ...result, structuredContent: exact.structuredContent };
  }

  async #call(call: SessionCall): Promise<Readonly<Record<string, unknown>>> {
    const { answers, definition } = call;
    if (this.isLegacy) {
      if (definition.isTask !== true) return this.#send(call, {});
      const { task } = await this.#send(call, { task: {} });
      return this.#await((task ?? {}) as Readonly<Record<string, unknown>>, call);
    }
    const taskId = taskOfState(answers?.state);
    if (taskId !== undefined)
      return this.#await({ taskId, ...(await this.#taskRequests().send('tasks/get', { taskId })) }, call);
    try {
      return await this.#send(call, toAnswerParams(answers, this.#hasTasks));
    } catch (error) {
      const created = Exchange.current()?.createdTask;
      if (created === undefined) throw error;
      return this.#await(created, call);
    }
  }

  /** Waits for the result of a call that has become a task. */
  #await(task: Readonly<Record<string, unknown>>, { signal, onProgress, answers }: SessionCall) {
    const pause = async (ms: number) => Exchange.current()?.pause(ms);
    const options = { signal, onProgress, pause, responses: answers?.responses, runAfterEnd: Exchange.runAfterEnd };
    return awaitTask(task, this.#taskRequests(), options);
  }

  /** True if a server of 2026 may answer calls with tasks. */
  get #hasTasks(): boolean {
    return this.#client.getServerCapabilities()?.extensions?.[TASKS_EXTENSION] !== undefined;
  }

  #taskRequests(): TaskRequests {
    if (!this.isLegacy) {
      const { fetch, clientInfo } = this.#deps;
      const protocolVersion = this.#client.getNegotiatedProtocolVersion() ?? '';
      const meta = {
        'io.modelcontextprotocol/protocolVersion': protocolVersion,
        'io.modelcontextprotocol/clientInfo': clientInfo,
        'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS_EXTENSION]: {} } },
      };
      return extensionRequests({ ...this.#server, fetch, meta, protocolVersion });
    }
    const options = { timeout: CLIENT_TIMEOUT_MS };
    const send: TaskRequests['send'] = (method, params) =>
      this.#client.request({ method, params } as never, ANY_RESULT, options);
    return { hasResultRequest: true, send };
  }

  #send(
    { tool, args, headers, signal, definition, onProgress }: SessionCall,
    more: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    const params = { name: tool, arguments: args, ...more };
    const options: RequestOptions = { headers, signal, timeout: CLIENT_TIMEOUT_MS, allowInputRequired: true };
    if (onProgress !== undefined) options.onprogress = ({ message }) => onProgress(message ?? '');
    if (definition.mirrored === undefined) {
      return this.#client.request({ method: 'tools/call', params }, ANY_RESULT, options);
    }
    const { name, inputSchema, headers: inHeaders } = definition.mirrored;
    const unsendable = this.isLegacy ? undefined : findUnsendableHeader(inHeaders, args, MAX_HEADER_BYTES);
    if (unsendable !== undefined) {
      const { header, path, reason } = unsendable;
      const place = { place: 'header', parameter: `Mcp-Param-${header}`, argument: path[0] ?? null } as const;
      throw new CannotSendError(place, reason);
    }
    return this.#client.callTool(params, { ...options, toolDefinition: { name, inputSchema: inputSchema as never } });
  }

  /** Ends the session at the server too. Never throws. */
  async close(): Promise<void> {
    try {
      await this.#transport.terminateSession();
    } catch {
      // The server forgets it in its own time.
    }
    await this.#client.close().catch(() => {});
  }

  #list(): Promise<ReadonlyMap<string, LiveDefinition>> {
    const { timeoutMs } = this.#deps;
    const { signal } = new AbortController();
    const exchange = new Exchange({ signal, timeoutMs });
    return exchange.run(async () => {
      const definitions = new Map<string, LiveDefinition>();
      let cursor: string | undefined;
      let chars = 0;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const params = cursor === undefined ? {} : { cursor };
        const options = { signal: exchange.signal, timeout: CLIENT_TIMEOUT_MS };
        const { tools, nextCursor } = await this.#client
          .request({ method: 'tools/list', params }, ANY_RESULT, options)
          .catch((error: unknown) => readRefusedPage(error, exchange.lastMessage));
        for (const tool of Array.isArray(tools) ? tools : []) addDefinition(definitions, tool);
        chars += JSON.stringify(tools ?? null).length;
        if (definitions.size > MCP_LIMITS.tools || chars > MCP_LIMITS.chars) break;
        if (typeof nextCursor !== 'string') return definitions;
        cursor = nextCursor;
      }
      throw new UpstreamFailure('protocol', { reason: NOT_MCP });
    });
  }
}

/** The members of a request that say whether the user can be asked, and what the user answered. */
function toAnswerParams(
  { elicitation, responses, state }: Partial<McpAnswers> = {},
  hasTasks = false,
): Record<string, unknown> {
  const capabilities: Record<string, unknown> = {};
  if (elicitation !== undefined) capabilities.elicitation = elicitation;
  if (hasTasks) capabilities.extensions = { [TASKS_EXTENSION]: {} };
  const params: Record<string, unknown> = {
    _meta: { 'io.modelcontextprotocol/clientCapabilities': capabilities },
  };
  if (responses !== undefined) params.inputResponses = responses;
  if (state !== undefined) params.requestState = state;
  return params;
}

/** Adds a tool that a server listed. A tool that no lock may hold counts as changed. */
function addDefinition(definitions: Map<string, LiveDefinition>, tool: unknown): void {
  const name = typeof tool === 'object' && tool !== null && 'name' in tool ? tool.name : undefined;
  if (typeof name !== 'string') return;
  // Of two tools with one name, no one can tell which is called.
  if (definitions.has(name) || findToolFaults(tool).length > 0) {
    definitions.set(name, { digest: '' });
    return;
  }
  const valid = tool as McpTool;
  const digest = definitionDigest(valid);
  const headers = readHeaderArguments(valid.inputSchema);
  // A tool whose headers are not valid counts as changed.
  if (headers.faults.length > 0) {
    definitions.set(name, { digest: '' });
    return;
  }
  const { taskSupport } = (valid.execution ?? {}) as { readonly taskSupport?: unknown };
  const isTask = taskSupport === 'required';
  const hasOutputSchema = valid.outputSchema !== undefined;
  const definition = { digest, isTask, hasOutputSchema };
  const hasHeaders = headers.arguments.length > 0;
  definitions.set(
    name,
    hasHeaders ? { ...definition, mirrored: { ...valid, headers: headers.arguments } } : definition,
  );
}
