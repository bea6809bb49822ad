/** Turns errors of routes into answers that say only what the caller may know. */

import type { Logger } from 'pino';
import { isForeignKeyViolation } from '../store/conflicts.ts';
import { isStoreOutage } from '../store/outage.ts';
import type { ErrorCode } from './error-codes.ts';
import { RequestError } from './errors.ts';
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

/** Returns the part of an error that the caller of a failed request may know. The log gets the error in full. */
export function toRefusal(error: unknown, request: { readonly requestId: string; readonly log: Logger }): RequestError {
  const refusal = error instanceof RequestError ? error : (toStoreRefusal(error) ?? unexpected(request.requestId));
  // A refusal without a cause is no failure, and its sender could repeat it at will.
  const isFailure = refusal.status >= 500 && !(refusal === error && refusal.cause === undefined);
  const level = isFailure ? 'error' : 'debug';
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

/** Long enough for a database failover, short enough for a waiting person. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Returns the part of a store's error that the caller may know.
 *
 * An outage is `temporarily_unavailable` (503 with `Retry-After`; RFC 6749 §4.1.2.1), because OAuth clients treat a 500 as the end of the session and
 * ask their user to sign in. A row that was removed meanwhile is `not_found` (404). For a defect it returns null.
 */
export function toStoreRefusal(cause: unknown): RequestError | null {
  if (isForeignKeyViolation(cause)) {
    return new RequestError(404, 'not_found', 'What this request refers to was removed in the meantime.', { cause });
  }
  if (!isStoreOutage(cause)) return null;
  const description = `The gateway cannot reach its database. Try again in ${RETRY_AFTER_SECONDS} seconds.`;
  const headers = { 'Retry-After': String(RETRY_AFTER_SECONDS), 'Cache-Control': 'no-store' };
  return new RequestError(503, 'temporarily_unavailable', description, { headers, cause });
}
