/** The one type that says what travels in Koa's `ctx.state`. */

import type { Context, Middleware, Next } from 'koa';
import type { Logger } from 'pino';

/** State of one request. */
export interface RequestState {
  /** Names the request in the log, in its answer (`X-Request-Id`) and in its call record. */
  requestId: string;
  /** Writes the request id with every line. */
  log: Logger;
  /** Name of the operator who is signed in; missing everywhere but at the dashboard. */
  operator?: string;
}

/** Middleware of the gateway. */
export type GatewayMiddleware = Middleware<RequestState>;

/** Context of the gateway's middleware. */
export type GatewayContext = Context & { state: RequestState };

export type { Next };
