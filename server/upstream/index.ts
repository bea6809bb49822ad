/** Calls upstreams: the request of a tool call with the connection's credential, and the answer in memory. */

import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, Request as UndiciRequest } from 'undici';
import type { CallRequest, Connector, Tool } from '../contract/index.ts';
import type { UpstreamAnswer } from './answer.ts';
import { ACCEPTED_CODINGS } from './content-coding.ts';
import {
  type CredentialWriter,
  createCredentialWriter,
  withCredentialCookies,
  withCredentialQuery,
} from './credential-writer.ts';
import { type OutgoingRequest, send } from './send.ts';
import { createBodyWriters } from './serialize/bodies.ts';
import { writeCookies } from './serialize/cookies.ts';
import { checkHeader, writeHeaders } from './serialize/headers.ts';
import { createPathSerializer } from './serialize/path.ts';
import { createQuerySerializer } from './serialize/query.ts';

export type { UpstreamAnswer } from './answer.ts';
export { BaseUrlError, resolveBaseUrls } from './base-urls.ts';
export { redact, UnusableCredentialError } from './credential-writer.ts';
export { UpstreamFailure, type UpstreamFailureKind } from './failures.ts';
export { parseRetryAfter } from './retry-after.ts';
export { ArgumentError } from './serialize/argument-error.ts';
export { UnsendableError } from './serialize/unsendable.ts';

/** Settings of all calls. */
export interface UpstreamOptions {
  /** By connector name: base URLs by server template, as `resolveBaseUrls` returns them. */
  readonly baseUrls: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Longest time of a call, in milliseconds: redirects, retry and body together. */
  readonly timeoutMs: number;
  /** Limit of a successful answer's body, decoded, in bytes. */
  readonly maxResultBytes: number;
  /** `User-Agent` of every request. */
  readonly userAgent: string;
  /** Default: a keep-alive agent of this upstream's own. */
  readonly dispatcher?: Dispatcher;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Boundary of each multipart body, in lower case. Default: random. */
  readonly createBoundary?: () => string;
}

/** One call that is about to be made. */
export interface UpstreamCall {
  readonly connector: Connector;
  readonly tool: Tool;
  /** Valid arguments of the tool. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The connection's credential, one value per field; empty for open services. The same object for the same credential. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A request, ready to be sent. */
export interface PreparedRequest {
  readonly outgoing: OutgoingRequest;
  readonly credential: CredentialWriter;
}

/** The upstream side of all connectors. */
export interface Upstream {
  /**
   * Writes the request. Nothing is sent.
   *
   * @throws {UnusableCredentialError} when the connection lacks a field of the credential.
   * @throws an error of the arguments, where one of them holds what its place on the wire cannot carry.
   */
  prepare(call: UpstreamCall): Promise<PreparedRequest>;
  /**
   * Sends the request and reads the answer.
   *
   * @param options.signal aborts when the client went away.
   * @param options.timeoutMs shortens the longest time of a call.
   * @throws {UpstreamFailure} when there is no usable answer.
   */
  send(request: PreparedRequest, options: { signal: AbortSignal; timeoutMs?: number }): Promise<UpstreamAnswer>;
  /** Closes idle connections, and waits for busy ones. */
  close(): Promise<void>;
}

/** Error bodies are read for a message; more than this is not a message. */
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
const ACCEPT = 'application/json, */*;q=0.8';

/** Creates the upstream side. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const dispatcher = options.dispatcher ?? createAgent();
  const now = options.now ?? Date.now;
  const wait = options.wait ?? waitFor;
  const serialize = createSerializer(options);
  const writers = new WeakMap<object, CredentialWriter>();
  const writerOf = ({ connector, fields }: UpstreamCall): CredentialWriter => {
    const known = writers.get(fields);
    if (known !== undefined) return known;
    const writer = createCredentialWriter(connector.credential.parts, fields);
    writers.set(fields, writer);
    return writer;
  };

  return {
    async prepare(call) {
      const credential = writerOf(call);
      const { method, origin, target, headers, body } = await serialize(call);
      const cookie = withCredentialCookies(headers.cookie ?? null, credential);
      const sent: Record<string, string> = {
        accept: ACCEPT,
        ...headers,
        'accept-encoding': ACCEPTED_CODINGS,
        'user-agent': options.userAgent,
      };
      if (cookie !== null) sent.cookie = cookie;
      for (const [name, value] of credential.headers) sent[name] = value;
      return { outgoing: { method, origin, target, headers: sent, body }, credential };
    },
    send: ({ outgoing, credential }, { signal, timeoutMs = options.timeoutMs }) =>
      send(outgoing, {
        dispatcher,
        withCredential: (target) => withCredentialQuery(target, credential),
        signal,
        timeoutMs,
        maxResultBytes: options.maxResultBytes,
        maxErrorBytes: MAX_ERROR_BYTES,
        now,
        wait,
      }),
    close: () => dispatcher.close(),
  };
}

/** The call's own deadline is the one that counts, so undici keeps none. */
function createAgent(): Agent {
  return new Agent({
    allowH2: false,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal });
}

/** Runs the typed call of a tool up to the request that it makes. */
function createSerializer(options: UpstreamOptions): (call: UpstreamCall) => Promise<OutgoingRequest> {
  const bodies = createBodyWriters(options.createBoundary);
  const clients = new WeakMap<Connector, unknown>();
  const clientOf = (connector: Connector): unknown => {
    const known = clients.get(connector);
    if (known !== undefined) return known;
    const client = connector.createClient({ Request: UndiciRequest as unknown as typeof Request });
    clients.set(connector, client);
    return client;
  };
  return async ({ connector, tool, args }) => {
    const { server } = tool.operation;
    const baseUrl = options.baseUrls.get(connector.name)?.get(server);
    if (baseUrl === undefined) throw new Error(`no base URL for ${connector.name} ${server}`);
    let written: OutgoingRequest | null = null;
    let cookie: string | null = null;
    const request: CallRequest = {
      baseUrl,
      signal: new AbortController().signal,
      fetch: async (given) => {
        const made = given as unknown as UndiciRequest;
        if (cookie !== null) made.headers.set('cookie', cookie);
        for (const [name, value] of made.headers) checkHeader('header', name, value, value);
        const body = made.body === null ? null : new Uint8Array(await made.arrayBuffer());
        if (body === null) made.headers.delete('content-type');
        const { origin, pathname, search } = new URL(made.url);
        const method = made.method as Dispatcher.HttpMethod;
        written = { method, origin, target: pathname + search, headers: Object.fromEntries(made.headers), body };
        return new Response(null, { status: 204 });
      },
      querySerializer: createQuerySerializer,
      pathSerializer: createPathSerializer,
      headerValues: writeHeaders,
      // openapi-fetch sends no cookies: it ignores `params.cookie`, and with it what is returned here.
      cookies: (values, styles) => {
        cookie = writeCookies(values, styles);
        return values;
      },
      optionalBody: (body) => (Object.values(body).every((member) => member === undefined) ? undefined : body),
      ...bodies,
    };
    await tool.call(clientOf(connector), args, request);
    if (written === null) throw new Error(`${tool.name} made no request`);
    return written;
  };
}
