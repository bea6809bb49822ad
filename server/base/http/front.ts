/** Checks every request to the MCP endpoint on Node's own objects: the same checks as the app's, in the same order. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Level, Logger } from 'pino';
import type { Principal } from '../principal/principal.ts';
import { newId } from '../store/rows.ts';
import { toRefusal } from './error-handler.ts';
import type { RequestError } from './errors.ts';
import { HttpExchange, JSON_UTF8 } from './exchange.ts';
import { corsHeaders, MCP_CORS, preflightHeaders, securityHeadersFor } from './headers.ts';
import {
  type AddressReader,
  createHostTest,
  createOriginTest,
  type HostRules,
  hostOf,
  invalidHost,
  invalidOrigin,
  type OriginRules,
} from './origin.ts';
import type { GatewayMiddleware } from './state.ts';

/** What the front is created from. */
export interface FrontDependencies {
  readonly config: HostRules & OriginRules;
  readonly log: Logger;
  readonly addressOf: AddressReader;
  /** Name of the route in the log. */
  readonly path: string;
  /** True once the gateway has begun to stop. */
  isStopping(): boolean;
  /**
   * Authenticates the sender of a request with this `Authorization` and this query to this host.
   *
   * @throws {RequestError} when authentication fails.
   */
  authenticate(authorization: string, query: string, host: string): Promise<Principal>;
  /** Called when a request was answered, or its client disconnected. Default: no call. */
  readonly onAnswered?: ((request: AnsweredRequest) => void) | undefined;
}

/** Answers a request that passed all checks. @throws {RequestError} to refuse it. */
export type ServeExchange = (exchange: HttpExchange, principal: Principal) => Promise<void>;

/** Answers one request of a `node:http` server. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Creates the front of `serve`.
 *
 * Order: request id -> security headers -> Host -> Origin -> preflight -> access token. Writes one log line per request.
 */
export function createFront(deps: FrontDependencies, serve: ServeExchange): RequestHandler {
  const { config, log, path, addressOf } = deps;
  const securityHeaders = Object.entries(securityHeadersFor(config)).flat();
  const isOwnHost = createHostTest(config);
  const isAllowedOrigin = createOriginTest(config);

  const pass = async (exchange: HttpExchange): Promise<Principal | null> => {
    const { headers, method, url = '' } = exchange.request;
    if (deps.isStopping()) exchange.addHeaders({ Connection: 'close' });
    if (!isOwnHost(exchange.host)) throw invalidHost();
    const origin = headers.origin ?? '';
    if (origin !== '' && !isAllowedOrigin(origin)) throw invalidOrigin();
    exchange.addHeaders({ Vary: 'Origin' });
    if (origin !== '') {
      exchange.addHeaders(corsHeaders(MCP_CORS, origin));
      if (method === 'OPTIONS' && headers['access-control-request-method']) {
        exchange.addHeaders(preflightHeaders(MCP_CORS));
        return null;
      }
    }
    const query = url.indexOf('?');
    return deps.authenticate(headers.authorization ?? '', query < 0 ? '' : url.slice(query + 1), exchange.host);
  };

  return (request, response) => {
    // Never the caller's own: a caller could reuse one, or copy someone else's. Ids sort by time, so that the index of calls grows at its end.
    const requestId = newId();
    const address = addressOf(request);
    const exchange = new HttpExchange({
      request,
      response,
      requestId,
      host: hostOf(request),
      log,
      headers: ['X-Request-Id', requestId, ...securityHeaders],
    });
    let principal: Principal | undefined;
    response.once('close', () => {
      const { method, headers } = request;
      const sentId = headers['x-request-id'];
      const start = exchange.startedAt;
      const answered = { requestId, sentId, method, route: path, address, start, response, principal };
      logRequest(log, 'info', answered);
      deps.onAnswered?.(answered);
    });

    const answer = async (): Promise<void> => {
      const found = await pass(exchange);
      if (found === null) return exchange.sendEmpty(204);
      principal = found;
      await serve(exchange, found);
    };
    answer().catch((error: unknown) => {
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

/** Probes come every few seconds; their lines have level `debug`. */
const PROBES = new Set(['/healthz', '/readyz']);

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
  /** When the request arrived, in milliseconds of `performance.now()`. */
  readonly start: number;
  readonly response: ServerResponse;
  readonly principal?: Principal | undefined;
}

/** Writes the log line of a request that was answered, or whose client disconnected. */
function logRequest(log: Logger, level: Level, request: AnsweredRequest): void {
  if (!log.isLevelEnabled(level)) return;
  const { requestId, sentId, method, route, address, start, response, principal } = request;
  log[level](
    {
      requestId,
      ...(typeof sentId === 'string' && SENT_ID.test(sentId) ? { sentRequestId: sentId } : undefined),
      method,
      route,
      status: response.statusCode,
      ms: Math.round((performance.now() - start) * 10) / 10,
      address,
      ...(response.writableFinished ? undefined : { disconnected: true }),
      ...(principal === undefined ? undefined : { userId: principal.userId, tokenId: principal.tokenId }),
    },
    'request',
  );
}

/** Sets `ctx.ip`, `ctx.state.requestId` and `ctx.state.log`, and answers with `X-Request-Id`. */
export function requestLog(options: {
  log: Logger;
  addressOf: AddressReader;
  /** See `FrontDependencies`. */
  onAnswered?: ((request: AnsweredRequest) => void) | undefined;
}): GatewayMiddleware {
  return async (ctx, next) => {
    const start = performance.now();
    const requestId = newId();
    ctx.state.requestId = requestId;
    ctx.state.log = options.log.child({ requestId });
    ctx.set('X-Request-Id', requestId);

    const { method, path, req: request, res: response } = ctx;
    const address = options.addressOf(request);
    ctx.request.ip = address;
    response.once('close', () => {
      const sentId = request.headers['x-request-id'];
      const answered = { requestId, sentId, method, route: routeOf(ctx), address, start, response };
      logRequest(options.log, PROBES.has(path) ? 'debug' : 'info', answered);
      options.onAnswered?.(answered);
    });
    await next();
  };
}

/** @param ctx after its routes ran: the router stores the pattern of the matched route in it. */
function routeOf(ctx: object): string {
  return '_matchedRoute' in ctx ? String(ctx._matchedRoute) : NO_ROUTE;
}
