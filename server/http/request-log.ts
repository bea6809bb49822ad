/** Gives each request an id and a log of its own, and writes one line when it has been answered. */

import type { ServerResponse } from 'node:http';
import type { Level, Logger } from 'pino';
import type { Principal } from '../principal/principal.ts';
import { newId } from '../store/ids.ts';
import type { AddressReader } from './forwarded.ts';
import type { GatewayMiddleware } from './state.ts';

/** The name of a caller for its request that is logged: enough for UUIDs and trace ids, nothing that could forge a line. */
const SENT_ID = /^[A-Za-z0-9._:-]{8,128}$/;

/** Probes come every few seconds; their lines are for `debug`. */
const PROBES = new Set(['/healthz', '/readyz']);

/** What is logged of a path that no route answers: the path is whatever a caller sent. */
export const NO_ROUTE = 'none';

/** What the line of a request says. */
export interface AnsweredRequest {
  readonly requestId: string;
  /** The caller's own `X-Request-Id`. */
  readonly sentId: string | readonly string[] | undefined;
  readonly method: string | undefined;
  /** The pattern of the route, such as `/connect/:service`: a path may name a user, and a query hold codes. */
  readonly route: string;
  readonly address: string;
  /** When it arrived, in milliseconds of `performance.now()`. */
  readonly start: number;
  readonly response: ServerResponse;
  readonly principal?: Principal | undefined;
}

/**
 * Names a request. Never the caller's name for it: one caller could give several requests one name, or that of another.
 *
 * Names follow the time, so that the index that finds calls by them grows at its end.
 */
export function newRequestId(): string {
  return newId();
}

/** Writes the line of a request that was answered, or whose client went away. */
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

/** @param ctx after its routes: the router leaves the pattern of the one that answered. */
function routeOf(ctx: object): string {
  return '_matchedRoute' in ctx ? String(ctx._matchedRoute) : NO_ROUTE;
}
