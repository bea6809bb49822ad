/** The gateway's middleware and routes, in the order in which a request meets them. */

import Koa from 'koa';
import type { GatewayMiddleware, RequestState } from './http/state.ts';

/** Path of the MCP endpoint; the resource indicator is the public origin followed by it. */
export const MCP_PATH = '/api/mcp/unified';

/** What the app is made of. */
export interface AppDependencies {
  /**
   * Answers every method on the MCP endpoint.
   *
   * Runs after Host, Origin, CORS preflight and authentication, so `ctx.state.principal` is set; the body is not read yet.
   */
  readonly mcp: GatewayMiddleware;
}

export function createApp(deps: AppDependencies): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.use(deps.mcp);
  return app;
}
