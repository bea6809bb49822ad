/** Calls upstreams: sends a tool call's request with the connection's credential, and reads the answer into memory. */

import { createHash } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { parseRawNumbers } from '../../../shared/exact-json.ts';
import { fillServerUrl } from '../../../shared/server-urls.ts';
import { formsOf, partsFor } from '../../base/credentials/kinds.ts';
import { type Wait, waitFor } from '../../base/with-timeout.ts';
import type { Connector, IdempotencyHeader, McpCall, Tool } from '../../contract/index.ts';
import { ACCEPTED_CODINGS, type McpAnswers, type UpstreamAnswer } from './answer.ts';
import type { CircuitPlace, Circuits } from './circuits.ts';
import {
  type CredentialWriter,
  createCredentialWriter,
  createShownWriter,
  UnusableCredentialError,
  withCredentialCookies,
  withCredentialQuery,
} from './credential.ts';
import type { McpCalls, McpRequest, McpSending } from './mcp/index.ts';
import { type OutgoingRequest, type SendWith, send } from './send.ts';
import { compileRequest, type RequestWriter, withRawCredential } from './serialize.ts';
import type { Arguments } from './serialize-sources.ts';

export type { AnswerHead, McpAnswers, McpProblem, McpQuestions, UpstreamAnswer } from './answer.ts';
export { isStream } from './answer.ts';
export { UnusableCredentialError, withCredentialQuery } from './credential.ts';
export { NOT_MCP, UpstreamFailure, type UpstreamFailureKind } from './failures.ts';
export { createRedactor, NOTHING_TO_REDACT, type Redactor } from './redaction.ts';
export { parseRetryAfter } from './retry-after.ts';
export { pathArguments } from './serialize-path.ts';
export { type Arguments, CannotSendError } from './serialize-sources.ts';

/** Settings of all calls. */
export interface UpstreamOptions {
  /** By connector name: base URLs by server template, as `resolveBaseUrls` returns them. */
  readonly baseUrls: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Longest time of a call, in milliseconds, including redirects, retry and body. */
  readonly timeoutMs: number;
  /** Limit of a successful answer's body, decoded, in bytes. */
  readonly maxResultBytes: number;
  /** `User-Agent` of every request. */
  readonly userAgent: string;
  /** Sends the requests; usually that of `Outgoing`. */
  readonly dispatcher: () => Promise<Dispatcher>;
  /** Keeps caps and circuit breakers. Default: none. */
  readonly circuits?: Circuits;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  readonly wait?: Wait;
  /** Boundary of each multipart body, in lower case. Default: random. */
  readonly createBoundary?: () => string;
  /** Runs around each request that is sent, including retries and redirects, and once around a whole call at an MCP server. Default: none. */
  readonly around?: AroundRequest | undefined;
  /** What happens to a call of a tool whose definition at its MCP server is not as reviewed. Default: `refuse`. */
  readonly mcpDrift?: 'refuse' | 'warn';
  /** Sessions at MCP servers that are open at once. Default: 1,000. */
  readonly maxMcpSessions?: number;
}

/** Runs around one request. It may add headers and nothing else; it throws what `send` throws. */
export type AroundRequest = (request: RequestFacts, send: SendWith) => Promise<UpstreamAnswer>;

/** Facts of a request that are safe to record: nothing that a caller or a user wrote. */
interface RequestFacts {
  /** Name of the connector. */
  readonly service: string;
  readonly method: string;
  /** Scheme, host and port; of a service with a host for each connection as in its descriptor, `https://{tenant}.example.com`. */
  readonly origin: string;
  /** The path as in the descriptor, such as `/brands/{brandId}`. */
  readonly path: string;
}

/** One call that is about to be made. */
interface UpstreamCall {
  readonly connector: Connector;
  readonly tool: Tool;
  /** Valid arguments of the tool. */
  readonly args: Arguments;
  /** The connection's credential, one value per field; empty for open services. The same object for the same credential. */
  readonly fields: Readonly<Record<string, string>>;
  /** Seed of the idempotency key for the upstream. A repeated request has the same one. By default no key is sent. */
  readonly seed?: string | null;
  /** Request to send instead of the one that the tool's rules build from `args`. By default there is none. */
  readonly raw?: RawRequest | undefined;
  /** True if the request is shown and not sent: then it has placeholders for the credential and the idempotency key. Default: false. */
  readonly isShown?: boolean;
}

/** A request written by a hand-written tool's typed client; the gateway adds the credential and its headers. */
export interface RawRequest {
  /** Path below the base URL, and query. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

export interface PreparedRequest {
  readonly outgoing: OutgoingRequest;
  readonly credential: CredentialWriter;
  readonly facts: RequestFacts;
  /** The call at an MCP server that is made instead, with the body of `outgoing` as arguments. Undefined for a request of HTTP. */
  readonly mcp?: McpCall & { readonly isIdempotent: boolean };
}

/** The upstream side of all connectors. */
export interface Upstream {
  /**
   * Writes the request, without sending it.
   *
   * @throws {UnusableCredentialError} when the connection lacks a field of the credential.
   * @throws {CannotSendError} when an argument's value cannot be sent in its place on the wire.
   */
  prepare(call: UpstreamCall): PreparedRequest;
  /** The facts of every request of a tool. */
  factsOf(connector: Connector, tool: Tool): RequestFacts;
  /** @throws {UpstreamFailure} `circuit_open` when a request to this place would be refused now. */
  check(place: CircuitPlace): void;
  /** Sends the request and reads the answer. @throws {UpstreamFailure} when there is no usable answer. */
  send(request: PreparedRequest, options: UpstreamSending): Promise<UpstreamAnswer>;
  /** Ends the sessions of a connection at MCP servers. @param connectionId row id. */
  endSessions(connectionId: string): Promise<void>;
  /** Ends the sessions at MCP servers. */
  close(): Promise<void>;
}

/** Options of sending a request. */
interface UpstreamSending {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Row id of the connection. Undefined if the connection does not exist yet. */
  readonly connectionId?: string | undefined;
  /** Shortens the longest time of a call. */
  readonly timeoutMs?: number;
  /** Called when the upstream may have received the request: before the first byte, or at an MCP server with the first sign of an answer. */
  readonly onSending?: () => void;
  /** Called with the progress that an MCP server reports, in its words. By default none is asked for. */
  readonly onProgress?: ((message: string) => void) | undefined;
  /** For a caller whose user an MCP server may ask. By default it may not. */
  readonly answers?: McpAnswers | undefined;
}

const MAX_MCP_SESSIONS = 1000;
/** Error bodies are read for their message, which is never longer. */
const MAX_ERROR_BYTES = 64 * 1024;
const ACCEPT = 'application/json, */*;q=0.8';
/** Stands for the connection of new credentials. All people who try some count as one caller, because anyone may type them. */
const NO_CONNECTION = '';

/** Creates the upstream side. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { now = Date.now, around, circuits } = options;
  const wait = options.wait ?? waitFor;
  const targetOf = createTargetLookup(options);
  let dispatching: Promise<Dispatcher> | null = null;
  const credentialOf = createCredentialLookup();
  const tools = createToolCaller(options, now);

  return {
    prepare(call) {
      const { base, write, facts } = targetOf(call.connector, call.tool);
      const credential = credentialOf(call);
      const { origin, path, prefix } = typeof base === 'string' ? baseOf(base, credential) : base;
      const {
        method,
        target,
        headers: headerPairs,
        cookie: cookies,
        contentType,
        body,
      } = call.raw === undefined
        ? write(call.args, credential.placed)
        : fromRawRequest(call.tool, call.raw, credential);
      const headers: Record<string, string> = { accept: ACCEPT };
      const { idempotency } = call.tool;
      if (idempotency !== undefined && call.seed) {
        const value = call.isShown === true ? '(new for each call)' : toIdempotencyValue(idempotency, call.seed);
        headers[idempotency.header.toLowerCase()] = value;
      }
      for (let at = 0; at < headerPairs.length; at += 2) headers[headerPairs[at] ?? ''] = headerPairs[at + 1] ?? '';
      headers['accept-encoding'] = ACCEPTED_CODINGS;
      headers['user-agent'] = options.userAgent;
      if (contentType !== null) headers['content-type'] = contentType;
      const isWithoutCookies = cookies === null && credential.cookies.length === 0;
      const cookie = isWithoutCookies ? null : withCredentialCookies(cookies, credential);
      if (cookie !== null) headers.cookie = cookie;
      for (const [name, value] of credential.headers) headers[name] = value;
      const { call: mcpCall, annotations } = call.tool;
      const isReading = annotations.readOnlyHint;
      const outgoing = { method, origin, target: prefix + target, headers, body, isReading };
      if (mcpCall === undefined) return { outgoing, credential, facts };
      const mcp = { ...mcpCall, isIdempotent: annotations.idempotentHint };
      return { outgoing: { ...outgoing, target: path }, credential, facts, mcp };
    },
    factsOf: (connector, tool) => targetOf(connector, tool).facts,
    check: circuits?.check ?? (() => {}),
    async send(request, { signal, connectionId, timeoutMs = options.timeoutMs, onSending, ...mcpOptions }) {
      const { outgoing, credential, facts, mcp } = request;
      dispatching ??= options.dispatcher();
      const dispatcher = await dispatching;
      const sendRequest = (leftMs: number) =>
        send(outgoing, {
          dispatcher,
          credentialQuery: credential.query,
          signal,
          timeoutMs: leftMs,
          ...(onSending && { onSending }),
          around: around && ((sendWith) => around(facts, sendWith)),
          maxResultBytes: options.maxResultBytes,
          maxErrorBytes: MAX_ERROR_BYTES,
          now,
          wait,
        });
      const callTool = (leftMs: number) =>
        tools.call(request, { signal, connectionId, endsAt: now() + leftMs, onSending, ...mcpOptions });
      const sendWithin = mcp === undefined ? sendRequest : callTool;
      if (circuits === undefined) return sendWithin(timeoutMs);
      const { service } = facts;
      const { origin } = outgoing;
      const caller = connectionId ?? NO_CONNECTION;
      const { timeoutMs: wholeTimeMs } = options;
      return circuits.run({ service, origin, caller, signal, timeoutMs, wholeTimeMs }, sendWithin);
    },
    endSessions: tools.endSessions,
    close: tools.close,
  };
}

/** Creates the caller of tools at MCP servers, which loads the client of MCP with its first call. */
function createToolCaller({ around, ...options }: UpstreamOptions, now: () => number) {
  let loading: Promise<McpCalls> | null = null;
  const load = async (): Promise<McpCalls> => {
    const { createMcpCalls } = await import('./mcp/index.ts');
    const { mcpDrift: drift = 'refuse', maxMcpSessions: maxSessions = MAX_MCP_SESSIONS } = options;
    return createMcpCalls({ ...options, drift, maxSessions, now });
  };
  return {
    async call(request: PreparedRequest, sending: Omit<McpSending, 'headers'>): Promise<UpstreamAnswer> {
      loading ??= load();
      const calls = await loading;
      const sendWith: SendWith = (headers) => calls.call(toMcpRequest(request), { ...sending, headers });
      return around === undefined ? sendWith({}) : around(request.facts, sendWith);
    },
    endSessions: async (connectionId: string) => (await loading)?.endSessions(connectionId),
    close: async () => (await loading)?.close(),
  };
}

/** Returns the call of a prepared request. The credential and the gateway's name go with every request of its session. */
function toMcpRequest({ outgoing, credential, mcp }: PreparedRequest): McpRequest {
  if (mcp === undefined) throw new Error('the request is not for an MCP server');
  const { accept: _, 'accept-encoding': __, 'content-type': ___, ...headers } = outgoing.headers;
  const { body, origin, target } = outgoing;
  return {
    url: origin + withCredentialQuery(target, credential.query),
    headers,
    tool: mcp.tool,
    definition: mcp.definition,
    isIdempotent: mcp.isIdempotent,
    args: body === null ? {} : (parseRawNumbers(Buffer.from(body).toString('utf8')) as McpRequest['args']),
  };
}

/** Creates the lookup of the credential of a call. It is written once for each connection, or for each tool with other parts of it. */
function createCredentialLookup(): (call: UpstreamCall) => CredentialWriter {
  /** By credential, and by tool if the tool is not sent exactly the connection's kind of credential; else by null. */
  const writers = new WeakMap<object, Map<Tool | null, CredentialWriter>>();
  return ({ connector, tool, fields, isShown }) => {
    if (isShown === true) return createShownWriter(partsFor(connector.credential, fields, tool), fields);
    const byTool = writers.get(fields) ?? new Map<Tool | null, CredentialWriter>();
    const key = tool.extra === undefined && tool.credential === undefined ? null : tool;
    const cached = byTool.get(key);
    if (cached !== undefined) return cached;
    const parts = partsFor(connector.credential, fields, tool);
    // A connection may hold the secrets of several kinds and extras: none may be read in an answer.
    const hidden = formsOf(connector.credential).flatMap((form) => form.parts);
    const writer = createCredentialWriter(parts, fields, { hidden });
    byTool.set(key, writer);
    writers.set(fields, byTool);
    return writer;
  };
}

function fromRawRequest(tool: Tool, raw: RawRequest, { placed }: CredentialWriter): ReturnType<RequestWriter> {
  const { target, headers, body } = withRawCredential(tool, raw, placed);
  const { method } = tool.operation;
  return { method, target, headers: Object.entries(headers).flat(), cookie: null, contentType: null, body };
}

interface Base {
  readonly origin: string;
  /** Path of the base URL as it is, which is that of an MCP endpoint. */
  readonly path: string;
  /** The same without a final slash. */
  readonly prefix: string;
}

function toBase(url: string): Base {
  const { origin, pathname } = new URL(url);
  return { origin, path: pathname, prefix: pathname.replace(/\/+$/, '') };
}

const bases = new WeakMap<CredentialWriter, Map<string, Base>>();

/** Returns a base URL with the connection's own values. @throws {UnusableCredentialError} if a value would lead to another place. */
function baseOf(template: string, credential: CredentialWriter): Base {
  const basesByTemplate = bases.get(credential) ?? new Map<string, Base>();
  bases.set(credential, basesByTemplate);
  const cached = basesByTemplate.get(template);
  if (cached !== undefined) return cached;
  const { servers } = credential;
  const url = fillServerUrl(template, (name) => (Object.hasOwn(servers, name) ? servers[name] : undefined));
  if (url === null || url.includes('{')) throw new UnusableCredentialError(template, 'not sendable');
  const base = toBase(url);
  basesByTemplate.set(template, base);
  return base;
}

/** The base URL of one tool's requests, and their writer. The URL is a template if each connection has a different one. */
interface Target {
  readonly base: Base | string;
  readonly write: RequestWriter;
  readonly facts: RequestFacts;
}

/** Requests are compiled once per tool, at its first call. */
function createTargetLookup({
  baseUrls,
  createBoundary,
}: UpstreamOptions): (connector: Connector, tool: Tool) => Target {
  const targets = new WeakMap<Tool, Target>();
  return (connector, tool) => {
    const compiled = targets.get(tool);
    if (compiled !== undefined) return compiled;
    const { server, method, path, target: requestTarget } = tool.operation;
    const baseUrl = baseUrls.get(connector.name)?.get(server);
    if (baseUrl === undefined) throw new Error(`no base URL for ${connector.name} ${server}`);
    const base = baseUrl.includes('{') ? baseUrl : toBase(baseUrl);
    const origin = typeof base === 'string' ? base.replace(/(?<=[^/:])\/.*$/, '') : base.origin;
    const facts = { service: connector.name, method, origin, path: requestTarget?.path ?? path };
    const target = { base, write: compileRequest(tool, createBoundary), facts };
    targets.set(tool, target);
    return target;
  };
}

/** Derives the value from a seed by the header's rule: the same seed gives the same value, and the value does not reveal it. */
function toIdempotencyValue({ digits }: IdempotencyHeader, seed: string): string {
  const hex = createHash('sha256').update(seed).digest('hex');
  if (digits !== null) return hex.slice(0, digits);
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}
