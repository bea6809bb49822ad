/** Turns errors of routes into answers that say only what the caller may know. */

import type { Logger } from 'pino';
import type { ErrorCode } from './error-codes.ts';
import { RequestError } from './errors.ts';
import { toStoreRefusal } from './faults/store-fault.ts';
import type { GatewayMiddleware } from './state.ts';

/**
 * Answers errors as `{error, error_description}`.
 *
 * A `RequestError` is answered with its own texts. Any other error is `server_error` (500) with the request id, and is logged in full.
 */
export function errorHandler(): GatewayMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const refusal = toRefusal(error, ctx.state);
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

/** Answers requests that match no route, as JSON. */
export function notFound(): GatewayMiddleware {
  return async (ctx, next) => {
    await next();
    if (ctx.status >= 400 && ctx.body === undefined && ctx.respond !== false) {
      const { status, message } = ctx;
      const error: ErrorCode = status === 404 ? 'not_found' : 'invalid_request';
      ctx.body = { error, error_description: `${message}: ${ctx.method} ${ctx.path}` };
      ctx.status = status;
    }
  };
}

/** What the caller of a failed request may know; the log gets the error in full. */
export function toRefusal(error: unknown, request: { readonly requestId: string; readonly log: Logger }): RequestError {
  const refusal = error instanceof RequestError ? error : (toStoreRefusal(error) ?? unexpected(request.requestId));
  const level = refusal.status >= 500 ? 'error' : 'debug';
  request.log[level]({ err: error }, 'request failed');
  return refusal;
}

function unexpected(requestId: string): RequestError {
  return new RequestError(
    500,
    'server_error',
    `The gateway could not answer. Its log has this request as ${requestId}.`,
  );
}
