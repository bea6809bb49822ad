/**
 * The way into the gateway: what every request gets, and the checks of the MCP endpoint on Node's own objects.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Level, Logger } from 'pino';
import type { Principal } from '../principal/principal.ts';
import { newId } from '../store/rows.ts';
import { BODY_SENDERS, type BodyBudget, PROCESS_BODIES } from './body-budget.ts';
import { toRefusal } from './error-handler.ts';
import type { RequestError } from './errors.ts';
import { HttpExchange, JSON_UTF8 } from './exchange.ts';
import { corsHeaders, MCP_CORS, preflightHeaders, securityHeadersFor } from './headers.ts';
import { createRefusalLines } from './log.ts';
import { networkOf } from './network.ts';
import {
  type AddressReader,
  checkOneHost,
  createHostTest,
  createOriginTest,
  type HostRules,
  hostOf,
  invalidHost,
  invalidOrigin,
  type OriginRules,
} from './origin.ts';
import type { GatewayMiddleware } from './state.ts';

/** Dependencies of every request. */
export interface EntranceDependencies {
  readonly config: HostRules;
  readonly log: Logger;
  readonly addressOf: AddressReader;
  /** Aborted once the gateway has begun to stop. */
  readonly stopping: AbortSignal;
  /** Admits bodies. Default: that of the process. */
  readonly bodies?: BodyBudget;
  /** Called when a request was answered, or its client disconnected. Default: no call. */
  readonly onAnswered?: ((request: AnsweredRequest) => void) | undefined;
}

/** Dependencies of the front. */
export interface FrontDependencies extends EntranceDependencies {
  readonly config: HostRules & OriginRules;
  /** Name of the route in the log. */
  readonly path: string;
  /**
   * Authenticates the sender of a request with this `Authorization` and this query to this host.
   *
   * @throws {RequestError} when authentication fails.
   */
  authenticate(authorization: string, query: string, host: string): Promise<Principal>;
}

/** Answers a request that passed all checks. @param findAgain authenticates it once more. @throws {RequestError} to refuse it. */
export type ServeExchange = (
  exchange: HttpExchange,
  principal: Principal,
  findAgain: () => Promise<Principal>,
) => Promise<void>;

/** Answers one request of a `node:http` server. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Creates the front of `serve`.
 *
 * Order: what every request gets (`createEntrance`) -> Host -> Origin -> preflight -> access token.
 */
export function createFront(deps: FrontDependencies, serve: ServeExchange): RequestHandler {
  const { config, log, path, bodies = PROCESS_BODIES } = deps;
  const enter = createEntrance(deps);
  const isOwnHost = createHostTest(config);
  const isAllowedOrigin = createOriginTest(config);

  const answer = async (exchange: HttpExchange, visit: Visit): Promise<void> => {
    const { headers, method, url = '' } = exchange.request;
    if (!isOwnHost(exchange.host)) {
      checkOneHost(exchange.request);
      throw invalidHost();
    }
    const origin = headers.origin ?? '';
    if (origin !== '' && !isAllowedOrigin(origin)) throw invalidOrigin();
    exchange.addHeaders({ Vary: 'Origin' });
    if (origin !== '') {
      exchange.addHeaders(corsHeaders(MCP_CORS, origin));
      if (method === 'OPTIONS' && headers['access-control-request-method']) {
        exchange.addHeaders(preflightHeaders(MCP_CORS));
        return exchange.sendEmpty(204);
      }
    }
    const query = url.indexOf('?');
    const find = () =>
      deps.authenticate(headers.authorization ?? '', query < 0 ? '' : url.slice(query + 1), exchange.host);
    const principal = await find();
    visit.principal = principal;
    const sender = { budget: bodies, partner: principal.partnerId, user: principal.userId, held: 0 };
    BODY_SENDERS.set(exchange.request, sender);
    try {
      await serve(exchange, principal, find);
    } finally {
      if (sender.held > 0) bodies.giveBack(sender);
    }
  };

  return (request, response) => {
    const visit: Visit = { route: path };
    const entered = enter(request, response, visit);
    const exchange = new HttpExchange({ request, response, log, host: hostOf(request), ...entered });
    answer(exchange, visit).catch((error: unknown) => {
      const refusal = toRefusal(error, exchange);
      if (response.headersSent) {
        response.destroy();
        return;
      }
      exchange.addHeaders(refusal.headers);
      exchange.send(refusal.status, JSON_UTF8, JSON.stringify(toAnswer(refusal)));
    });
  };
}

/** Refusals of the resource server use OAuth's format; failures to serve at all are JSON-RPC errors. */
function toAnswer(refusal: RequestError): object {
  if (refusal.status !== 503) return refusal.toBody();
  return { jsonrpc: '2.0', id: null, error: { code: refusal.status, message: refusal.description } };
}

/** A caller's own request id that may be logged: enough for UUIDs and trace ids, and nothing that could forge a line. */
const SENT_ID = /^[A-Za-z0-9._:-]{8,128}$/;

/** Logged in place of a path that matches no route, because callers can send any path. */
export const NO_ROUTE = 'none';

/** A request as its log line describes it. */
export interface AnsweredRequest {
  readonly requestId: string;
  /** The caller's own `X-Request-Id`. */
  readonly sentId: string | readonly string[] | undefined;
  readonly method: string | undefined;
  /** The pattern of the route, such as `/connect/:service`: a path may name a user, and a query may hold codes. */
  readonly route: string;
  readonly address: string;
  /** Time at which the request arrived, in milliseconds of `performance.now()`. */
  readonly start: number;
  readonly response: ServerResponse;
  readonly principal?: Principal | undefined;
}

/** Facts about a request that become known while it is answered. */
interface Visit {
  /** See `AnsweredRequest`. */
  readonly route: string;
  /** Of the log line. Default: `info`. */
  readonly level?: Level;
  principal?: Principal;
}

/** The id of a request, and the headers of its answer, names and values in turn. */
interface Entered {
  readonly requestId: string;
  readonly address: string;
  /** Time at which the request arrived, in milliseconds of `performance.now()`. */
  readonly startedAt: number;
  readonly headers: string[];
}

/** The members of a request's line in the log. */
interface RequestLine {
  readonly requestId: string;
  /** The caller's own `X-Request-Id`, if it may be logged. */
  readonly sentRequestId?: string;
  readonly method: string | undefined;
  readonly route: string;
  readonly status: number;
  /** Milliseconds until the answer was written. */
  readonly ms: number;
  readonly address: string;
  /** Set if the client went before it had its answer. */
  disconnected?: true;
  /** Set if the caller is known. */
  userId?: string;
  tokenId?: string;
}

/**
 * Creates what comes first for every request: its id and the client's address, the headers of every answer, and one line in the log
 * once it was answered, or its client disconnected; see `createRefusalLines` for what is summed.
 */
function createEntrance(
  deps: EntranceDependencies,
): (request: IncomingMessage, response: ServerResponse, visit: Visit) => Entered {
  const { log, addressOf, stopping, onAnswered } = deps;
  const writeRefused = createRefusalLines(log, stopping);
  const securityHeaders = Object.entries(securityHeadersFor(deps.config)).flat();
  return (request, response, visit) => {
    const startedAt = performance.now();
    // Never the caller's own: a caller could reuse one, or copy someone else's. Ids sort by time, so that the index of calls grows at its end.
    const requestId = newId();
    const address = addressOf(request);
    const record = (): void => {
      const { method, headers } = request;
      const { route, level = 'info', principal } = visit;
      const sentId = headers['x-request-id'];
      if (log.isLevelEnabled(level)) {
        const status = response.statusCode;
        const isServed = status < 400 && response.writableFinished;
        const isSentIdValid = typeof sentId === 'string' && SENT_ID.test(sentId);
        const ids = isSentIdValid ? { requestId, sentRequestId: sentId } : { requestId };
        const ms = Math.round((performance.now() - startedAt) * 10) / 10;
        const line: RequestLine = { ...ids, method, route, status, ms, address };
        if (!response.writableFinished) line.disconnected = true;
        if (principal !== undefined) {
          line.userId = principal.userId;
          line.tokenId = principal.tokenId;
        }
        if (principal === undefined && !isServed && level === 'info') writeRefused(line);
        else log[level](line, 'request');
      }
      onAnswered?.({ requestId, sentId, method, route, address, start: startedAt, response, principal });
    };
    // The connection may have broken while the routes were loaded.
    if (response.closed) queueMicrotask(record);
    else response.once('close', record);
    const headers = ['X-Request-Id', requestId, ...securityHeaders];
    if (stopping.aborted) headers.push('Connection', 'close');
    return { requestId, address, startedAt, headers };
  };
}

/** Probes come every few seconds; their lines have level `debug`. */
const PROBES = new Set(['/healthz', '/readyz']);

/** The same for requests that Koa answers, whose bodies count for their network. Sets `ctx.ip`, `ctx.state.requestId` and `ctx.state.log`. */
export function enterPages(deps: EntranceDependencies): GatewayMiddleware {
  const enter = createEntrance(deps);
  const { bodies = PROCESS_BODIES } = deps;
  return async (ctx, next) => {
    const { requestId, address, headers } = enter(ctx.req, ctx.res, {
      get route() {
        return routeOf(ctx);
      },
      level: PROBES.has(ctx.path) ? 'debug' : 'info',
    });
    ctx.state.requestId = requestId;
    ctx.state.log = deps.log.child({ requestId });
    ctx.request.ip = address;
    for (let at = 0; at < headers.length; at += 2) ctx.set(headers[at] ?? '', headers[at + 1] ?? '');
    const sender = { budget: bodies, partner: '', user: networkOf(address), held: 0 };
    BODY_SENDERS.set(ctx.req, sender);
    try {
      await next();
    } finally {
      if (sender.held > 0) bodies.giveBack(sender);
    }
  };
}

/** @param ctx after its routes ran: the router stores the pattern of the matched route in it. */
function routeOf(ctx: object): string {
  return '_matchedRoute' in ctx ? String(ctx._matchedRoute) : NO_ROUTE;
}
