/** Everything except the MCP endpoint: middleware and routes, in the order in which they run. */

import type Router from '@koa/router';
import Koa from 'koa';
import type { Logger } from 'pino';
import { createMetadataRouter } from './auth/protected-resource-metadata.ts';
import type { ResourceIdentity } from './auth/resource-identity.ts';
import { errorHandler, notFound } from './http/error-handler.ts';
import { isBrokenByClient } from './http/faults/logged-error.ts';
import { toOriginForm } from './http/faults/request-target.ts';
import type { AddressReader } from './http/forwarded.ts';
import type { RequestHandler } from './http/front.ts';
import { checkHost, type HostRules } from './http/origin.ts';
import { createHealthRouter } from './http/probes/health.ts';
import { type AnsweredRequest, requestLog } from './http/request-log.ts';
import { securityHeaders } from './http/security-headers.ts';
import type { GatewayMiddleware, RequestState } from './http/state.ts';
import { noPage } from './pages/no-page.ts';

/** What the middleware of all routes needs. */
export interface KoaDependencies {
  readonly config: HostRules;
  readonly log: Logger;
  readonly addressOf: AddressReader;
  readonly store: { ping(): Promise<void> };
  /** True once the gateway has begun to stop. */
  isStopping(): boolean;
  /** See `HealthDependencies`. */
  readonly isOperator?: ((authorization: string) => boolean) | undefined;
  /** See `FrontDependencies`. */
  readonly onAnswered?: ((request: AnsweredRequest) => void) | undefined;
}

/**
 * Creates the Koa app, with `routes` after its own.
 *
 * @param identity of the protected resource, whose metadata the app serves; null: it serves no resource.
 */
export function createKoa(
  deps: KoaDependencies,
  identity: ResourceIdentity | null,
  routes: readonly Router<RequestState>[],
): RequestHandler {
  const { config, log } = deps;
  const app = new Koa<RequestState>();
  app.on('error', (error) => log[isBrokenByClient(error) ? 'debug' : 'error']({ err: error }, 'an answer broke off'));

  app.use(requestLog(deps));
  app.use(errorHandler());
  app.use(securityHeaders(config));
  app.use(closeWhileStopping(deps));
  app.use(createHealthRouter(deps).routes());
  app.use(checkHost(config));
  app.use(notFound());
  app.use(noPage());
  if (identity !== null) app.use(createMetadataRouter(identity).routes());
  for (const router of routes) app.use(router.routes()).use(router.allowedMethods());
  return withTarget(app.callback());
}

/** Koa reads the target before any middleware could reject it. */
function withTarget(serve: RequestHandler): RequestHandler {
  return (request, response) => {
    const target = toOriginForm(request.url ?? '');
    if (target === null) {
      response.writeHead(400, { Connection: 'close' }).end();
      return;
    }
    request.url = target;
    serve(request, response);
  };
}

/** Asks clients to send their next request on another connection. */
function closeWhileStopping(deps: Pick<KoaDependencies, 'isStopping'>): GatewayMiddleware {
  return async (ctx, next) => {
    if (deps.isStopping()) ctx.set('Connection', 'close');
    await next();
  };
}
