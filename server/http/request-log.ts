/** Gives each request an id and a log of its own, and writes one line when it has been answered. */

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { GatewayMiddleware } from './state.ts';

/** What a caller may name a request: enough for UUIDs and trace ids, nothing that could forge a line of the log. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{8,128}$/;

/** Probes come every few seconds; their lines are for `debug`. */
const PROBES = new Set(['/healthz', '/readyz']);

/**
 * Sets `ctx.state.requestId` and `ctx.state.log`, and answers with `X-Request-Id`.
 *
 * An `X-Request-Id` of the request is kept when it is 8 to 128 letters, digits and `._:-`. The path is logged without
 * its query, which may hold codes.
 */
export function requestLog(options: { log: Logger; clock?: () => number }): GatewayMiddleware {
  const clock = options.clock ?? performance.now.bind(performance);
  return async (ctx, next) => {
    const start = clock();
    const sent = ctx.get('X-Request-Id');
    const requestId = REQUEST_ID.test(sent) ? sent : randomUUID();
    ctx.state.requestId = requestId;
    ctx.state.log = options.log.child({ requestId });
    ctx.set('X-Request-Id', requestId);

    const { method, path, ip } = ctx;
    ctx.res.once('close', () => {
      const level = PROBES.has(path) ? 'debug' : 'info';
      ctx.state.log[level](
        {
          method,
          path,
          status: ctx.res.statusCode,
          ms: Math.round((clock() - start) * 10) / 10,
          address: ip,
          ...(ctx.res.writableFinished ? {} : { disconnected: true }),
          ...(ctx.state.principal === undefined
            ? {}
            : { userId: ctx.state.principal.userId, tokenId: ctx.state.principal.tokenId }),
        },
        'request',
      );
    });
    await next();
  };
}
