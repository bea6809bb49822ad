/** Lends each tool call a client and a request: base URL, credential, deadline and limits are set here. */

import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, Request as UndiciRequest } from 'undici';
import type { CallRequest, Connector } from '../contract/index.ts';
import { createCredentialWriter } from './credential-writer.ts';
import { send } from './send.ts';
import { createBodyWriters } from './serialize/bodies.ts';
import { writeCookies } from './serialize/cookies.ts';
import { checkHeader, writeHeaders } from './serialize/headers.ts';
import { createPathSerializer } from './serialize/path.ts';
import { createQuerySerializer } from './serialize/query.ts';

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
  /** Deadline of a call, in milliseconds. */
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
  /** `ToolOperation.server` of the tool. */
  readonly server: string;
  /** The connection's credential, one value per field; empty for open services. */
  readonly fields: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** What `Tool.call` takes, and what its answer must not repeat. */
export interface PreparedCall {
  readonly client: unknown;
  readonly request: CallRequest;
  readonly secrets: readonly string[];
  /** Whether the request was sent: an error before that lies in the arguments. */
  sent(): boolean;
}

/** The upstream side of all connectors. */
export interface Upstream {
  /** @throws {UnusableCredentialError} when the connection lacks a field of the credential. */
  prepare(call: UpstreamCall): PreparedCall;
  /** Ends idle connections, and waits for busy ones. */
  close(): Promise<void>;
}

/** Error bodies are read for a message; more than this is not a message. */
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;

/** Creates the upstream side. Clients are made once per connector, at their first call. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const dispatcher = options.dispatcher ?? createAgent(options.timeoutMs);
  const bodies = createBodyWriters(options.createBoundary);
  const clients = new WeakMap<Connector, unknown>();
  const clientOf = (connector: Connector): unknown => {
    const known = clients.get(connector);
    if (known !== undefined) return known;
    const client = connector.createClient({ Request: UndiciRequest as unknown as typeof Request });
    clients.set(connector, client);
    return client;
  };

  return {
    prepare(call) {
      const baseUrl = options.baseUrls.get(call.connector.name)?.get(call.server);
      if (baseUrl === undefined) throw new Error(`no base URL for ${call.connector.name} ${call.server}`);
      const credential = createCredentialWriter(call.connector.credential.parts, call.fields);
      let sent = false;
      let cookie: string | null = null;
      const request: CallRequest = {
        baseUrl,
        signal: call.signal,
        fetch: async (given) => {
          const outgoing = given as unknown as UndiciRequest;
          if (cookie !== null) outgoing.headers.set('cookie', cookie);
          for (const [name, value] of outgoing.headers) checkHeader('header', name, value, value);
          sent = true;
          const answer = await send(outgoing, {
            dispatcher,
            credential,
            signal: call.signal,
            timeoutMs: options.timeoutMs,
            maxResultBytes: options.maxResultBytes,
            maxErrorBytes: MAX_ERROR_BYTES,
            userAgent: options.userAgent,
            now: options.now ?? Date.now,
            wait: options.wait ?? waitFor,
          });
          return answer as unknown as Response;
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
      return { client: clientOf(call.connector), request, secrets: credential.secrets, sent: () => sent };
    },
    close: () => dispatcher.close(),
  };
}

function createAgent(timeoutMs: number): Agent {
  return new Agent({
    allowH2: false,
    connect: { timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs) },
    // The call's own deadline is the one that counts; these only catch what it would leave behind.
    headersTimeout: timeoutMs + 1000,
    bodyTimeout: timeoutMs + 1000,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal });
}
