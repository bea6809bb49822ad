/** Everything except the MCP endpoint: middleware and routes, in the order in which they run. */

import Router from '@koa/router';
import Koa from 'koa';
import type { ResourceIdentity } from './base/http/challenge.ts';
import { addMetadataRoutes } from './base/http/challenge.ts';
import { errorHandler, notFound } from './base/http/error-handler.ts';
import { type EntranceDependencies, enterPages, type RequestHandler } from './base/http/front.ts';
import { createHealthRouter } from './base/http/health.ts';
import { isBrokenByClient } from './base/http/log.ts';
import { checkHost, requireOneHost } from './base/http/origin.ts';
import type { RequestState } from './base/http/state.ts';
import { noPage } from './base/pages/page-errors.ts';
import { addStyleRoute } from './base/pages/style.ts';

/** Dependencies of the middleware of all routes. */
export interface KoaDependencies extends EntranceDependencies {
  readonly store: { ping(): Promise<void> };
  /** See `HealthDependencies`. */
  readonly isOperator?: ((authorization: string) => boolean) | undefined;
  /** See `HealthDependencies`. */
  readonly pingTimeoutMs?: number | undefined;
}

/**
 * Creates the Koa app, with `routes` after its own.
 *
 * @param identity of the protected resource, whose metadata the app serves. Null if the app serves no resource.
 */
export function createKoa(
  deps: KoaDependencies,
  identity: ResourceIdentity | null,
  routes: readonly Router<RequestState>[],
): RequestHandler {
  const { config, log } = deps;
  const app = new Koa<RequestState>();
  app.on('error', (error) => log[isBrokenByClient(error) ? 'debug' : 'error']({ err: error }, 'an answer broke off'));

  app.use(enterPages(deps));
  app.use(errorHandler());
  app.use(requireOneHost());
  app.use(createHealthRouter(deps).routes());
  app.use(checkHost(config));
  app.use(addStyleRoute(new Router()).routes());
  app.use(notFound());
  app.use(noPage());
  if (identity !== null) app.use(addMetadataRoutes(new Router(), identity).routes());
  for (const router of routes) app.use(router.routes()).use(router.allowedMethods());
  return withTarget(app.callback());
}

/**
 * Refuses absolute targets, which Koa would read before any middleware could refuse them. A target that is still absolute names another host than
 * `Host` does.
 */
function withTarget(serve: RequestHandler): RequestHandler {
  return (request, response) => {
    if (/^(\/|\*$)/.test(request.url ?? '')) serve(request, response);
    else response.writeHead(400, { Connection: 'close' }).end();
  };
}
