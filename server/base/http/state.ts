/** The type of Koa's `ctx.state`. */

import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';

/** State of one request. */
export interface RequestState {
  /** Identifies the request in the log, in its answer (`X-Request-Id`) and in its call record. */
  requestId: string;
  /** Adds the request id to every line. */
  log: Logger;
  /** Name of the operator who is signed in; absent outside the dashboard. */
  operator?: string;
  /** The only origin that may frame the answer, if it is a page. By default no origin may. Only the connect flow sets it. */
  framedBy?: string;
}

export type GatewayMiddleware = Middleware<RequestState>;

export type GatewayContext = Context & { state: RequestState };
