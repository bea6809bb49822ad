/** The gateway's middleware and routes, in the order in which a request meets them. */

import type Router from '@koa/router';
import Koa from 'koa';
import type { Logger } from 'pino';
import { createChallenges } from './auth/challenge.ts';
import { createMetadataRouter, type ResourceIdentity, resourceOf } from './auth/protected-resource-metadata.ts';
import { requirePrincipal } from './auth/require-principal.ts';
import type { Config } from './config/index.ts';
import { errorHandler, notFound } from './http/error-handler.ts';
import { isBrokenByClient } from './http/faults/logged-error.ts';
import { createFront, type RequestHandler, type ServeExchange } from './http/front.ts';
import { createHealthRouter } from './http/health.ts';
import { checkHost } from './http/origin.ts';
import { requestLog } from './http/request-log.ts';
import { securityHeaders } from './http/security-headers.ts';
import type { GatewayMiddleware, RequestState } from './http/state.ts';
import { noPage } from './pages/no-page.ts';
import { isPageVisit } from './pages/page-visit.ts';
import type { Store } from './store/index.ts';

/** Path of the MCP endpoint; the resource indicator is the public origin followed by it. */
export const MCP_PATH = '/api/mcp/unified';

/** What the app is made of. */
export interface AppDependencies {
  readonly config: Pick<Config, 'publicUrl' | 'allowedOrigins' | 'trustedProxies'>;
  readonly log: Logger;
  readonly store: Pick<Store, 'findAccessToken' | 'ping'>;
  /** Answers every method on the MCP endpoint; runs after Host, Origin, preflight and authentication. */
  readonly mcp: ServeExchange;
  /** All other routes, in the order in which they are tried. */
  readonly routes: readonly Router<RequestState>[];
  /** True from the moment when the gateway begins to stop. */
  isStopping(): boolean;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  /** Called with the row id of an access token that is used for the first time. Default: nobody wants to know. */
  readonly onFirstUse?: (tokenId: string) => Promise<void>;
}

/** The MCP endpoint as a request names it: a final slash and the case of letters do not matter. */
const MCP_TARGET = new RegExp(`^(https?://[^/?#]*)?${MCP_PATH}/?([?#]|$)`, 'i');

/** The names that clients compare byte by byte. */
export function identityOf({ publicUrl }: Pick<Config, 'publicUrl'>): ResourceIdentity {
  return { issuer: publicUrl, path: MCP_PATH };
}

/** Creates the app. It does not listen, and holds nothing that outlives a request. */
export function createApp(deps: AppDependencies): RequestHandler {
  const { config, log, store, isStopping } = deps;
  const identity = identityOf(config);
  const authenticate = requirePrincipal({
    store,
    challenges: createChallenges(identity),
    resource: resourceOf(identity),
    ...(deps.now === undefined ? {} : { now: deps.now }),
    ...(deps.onFirstUse === undefined ? {} : { onFirstUse: deps.onFirstUse }),
  });
  const serveMcp = createFront({ config, log, path: MCP_PATH, isStopping, authenticate }, deps.mcp);
  const servePages = createKoa(deps).callback();
  return (request, response) => {
    const target = request.url ?? '';
    const isMcp = target === MCP_PATH || MCP_TARGET.test(target);
    if (isMcp && !(isPageVisit(request) && !/[?&]access_token=/.test(target))) serveMcp(request, response);
    else void servePages(request, response);
  };
}

function createKoa(deps: AppDependencies): Koa<RequestState> {
  const { config, log } = deps;
  const app = new Koa<RequestState>({ proxy: config.trustedProxies > 0, maxIpsCount: config.trustedProxies });
  app.on('error', (error) => log[isBrokenByClient(error) ? 'debug' : 'error']({ err: error }, 'an answer broke off'));

  app.use(requestLog({ log, trustedProxies: config.trustedProxies }));
  app.use(errorHandler());
  app.use(securityHeaders(config));
  app.use(closeWhileStopping(deps));
  app.use(createHealthRouter(deps).routes());
  app.use(checkHost(config));
  app.use(notFound());
  app.use(noPage());
  app.use(createMetadataRouter(identityOf(config)).routes());
  for (const routes of deps.routes) app.use(routes.routes()).use(routes.allowedMethods());
  return app;
}

/** Lets clients know that their next request needs another connection. */
function closeWhileStopping(deps: Pick<AppDependencies, 'isStopping'>): GatewayMiddleware {
  return async (ctx, next) => {
    if (deps.isStopping()) ctx.set('Connection', 'close');
    await next();
  };
}
