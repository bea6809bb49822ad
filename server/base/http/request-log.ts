/** Gives each request an id and a logger, and writes one line when it was answered. */

import type { ServerResponse } from 'node:http';
import type { Level, Logger } from 'pino';
import type { Principal } from '../principal/principal.ts';
import { newId } from '../store/ids.ts';
import type { AddressReader } from './forwarded.ts';
import type { GatewayMiddleware } from './state.ts';

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

/**
 * Creates a request id. Never the caller's own: a caller could reuse one, or copy someone else's.
 *
 * Ids sort by time, so that the index that finds calls by them grows at its end.
 */
export function newRequestId(): string {
  return newId();
}

/** Writes the log line of a request that was answered, or whose client disconnected. */
export function logRequest(log: Logger, level: Level, request: AnsweredRequest): void {
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
    const requestId = newRequestId();
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
