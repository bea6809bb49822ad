/** Turns whatever a route throws into an answer that says only what the caller may know. */

import { RequestError } from './errors.ts';
import type { GatewayMiddleware } from './state.ts';

/**
 * Answers errors as `{error, error_description}`.
 *
 * A `RequestError` says what it says. Anything else is `server_error` (500) with the request id, and is logged in full.
 */
export function errorHandler(): GatewayMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const refusal = error instanceof RequestError ? error : unexpected(ctx.state.requestId);
      const level = refusal.status >= 500 ? 'error' : 'debug';
      ctx.state.log[level]({ err: error }, 'request failed');
      if (ctx.headerSent || ctx.respond === false) {
        ctx.res.destroy();
        return;
      }
      ctx.status = refusal.status;
      ctx.set(refusal.headers);
      ctx.body = refusal.toBody();
    }
  };
}

/** Answers requests that no route took, as JSON. */
export function notFound(): GatewayMiddleware {
  return async (ctx, next) => {
    await next();
    if (ctx.status >= 400 && ctx.body === undefined && ctx.respond !== false) {
      const { status, message } = ctx;
      const error = status === 404 ? 'not_found' : 'invalid_request';
      ctx.body = { error, error_description: `${message}: ${ctx.method} ${ctx.path}` };
      ctx.status = status;
    }
  };
}

function unexpected(requestId: string): RequestError {
  return new RequestError(
    500,
    'server_error',
    `The gateway could not answer. Its log names this request ${requestId}.`,
  );
}
