/** Gives each request an id and a log of its own, and writes one line when it has been answered. */

import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Level, Logger } from 'pino';
import type { Principal } from '../principal/principal.ts';
import { addressOf } from './forwarded.ts';
import type { GatewayMiddleware } from './state.ts';

/** What a caller may name a request: enough for UUIDs and trace ids, nothing that could forge a line of the log. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{8,128}$/;

/** Probes come every few seconds; their lines are for `debug`. */
const PROBES = new Set(['/healthz', '/readyz']);

/** What the line of a request says. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string | undefined;
  /** Without the query, which may hold codes. */
  readonly path: string;
  readonly address: string;
  /** When it arrived, in milliseconds of `performance.now()`. */
  readonly start: number;
  readonly response: ServerResponse;
  readonly principal?: Principal | undefined;
}

/** The id by which the caller names the request, when it is 8 to 128 letters, digits and `._:-`; otherwise a new one. */
export function requestIdOf(sent: string | readonly string[] | undefined): string {
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
}

/** Writes the line of a request that was answered, or whose client went away. */
export function logRequest(log: Logger, level: Level, request: AnsweredRequest): void {
  if (!log.isLevelEnabled(level)) return;
  const { requestId, method, path, address, start, response, principal } = request;
  log[level](
    {
      requestId,
      method,
      path,
      status: response.statusCode,
      ms: Math.round((performance.now() - start) * 10) / 10,
      address,
      ...(response.writableFinished ? undefined : { disconnected: true }),
      ...(principal === undefined ? undefined : { userId: principal.userId, tokenId: principal.tokenId }),
    },
    'request',
  );
}

/** Sets `ctx.state.requestId` and `ctx.state.log`, and answers with `X-Request-Id`. */
export function requestLog(options: { log: Logger; trustedProxies: number }): GatewayMiddleware {
  return async (ctx, next) => {
    const start = performance.now();
    const requestId = requestIdOf(ctx.req.headers['x-request-id']);
    ctx.state.requestId = requestId;
    ctx.state.log = options.log.child({ requestId });
    ctx.set('X-Request-Id', requestId);

    const { method, path, res: response } = ctx;
    const address = addressOf(ctx.req, options.trustedProxies);
    response.once('close', () => {
      logRequest(options.log, PROBES.has(path) ? 'debug' : 'info', {
        requestId,
        method,
        path,
        address,
        start,
        response,
      });
    });
    await next();
  };
}
