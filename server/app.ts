/** Routes each request: to the MCP endpoint, or to Koa for everything else. */

import type Router from '@koa/router';
import type { Logger } from 'pino';
import { requirePrincipal } from './base/http/authenticate.ts';
import { createChallenges, type ResourceIdentity, resourceOf } from './base/http/challenge.ts';
import { createFront, type FrontDependencies, type RequestHandler, type ServeExchange } from './base/http/front.ts';
import { createAddressReader, isPageVisit, readAbsoluteTarget } from './base/http/origin.ts';
import type { RequestState } from './base/http/state.ts';
import type { Store, TokenStore } from './base/store/index.ts';
import type { Config } from './config/index.ts';
import { MCP_PATH } from './gateway-paths.ts';
import type { KoaDependencies } from './koa.ts';

export interface AppDependencies {
  readonly config: Pick<Config, 'publicUrl' | 'allowedOrigins' | 'trustedProxies'>;
  readonly log: Logger;
  readonly store: TokenStore & { readonly ping: Store['ping'] };
  /** Answers every method on the MCP endpoint; runs after Host, Origin, preflight and authentication. */
  readonly mcp: ServeExchange;
  /** Loads all other routes, in matching order. Called once, on the first request to one of them. */
  readonly routes: () => Promise<readonly Router<RequestState>[]> | readonly Router<RequestState>[];
  /** Aborted once the gateway has begun to stop. */
  readonly stopping: AbortSignal;
  /** See `HealthDependencies`. */
  readonly isOperator?: KoaDependencies['isOperator'];
  /** See `HealthDependencies`. */
  readonly pingTimeoutMs?: number | undefined;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  /** Called with the row id of an access token on its first use. Default: no call. */
  readonly onFirstUse?: ((tokenId: string) => Promise<void>) | undefined;
  /** See `FrontDependencies`. */
  readonly onAnswered?: FrontDependencies['onAnswered'];
}

/** The request target of the MCP endpoint. Letter case and a trailing slash do not matter. */
const MCP_TARGET = new RegExp(`^${MCP_PATH}/?([?#]|$)`, 'i');

/** The issuer and path that clients compare byte by byte. */
export function identityOf({ publicUrl }: { readonly publicUrl: string }): ResourceIdentity {
  return { issuer: publicUrl, path: MCP_PATH };
}

/** Creates the app. It does not listen, and keeps no state between requests. */
export function createApp(deps: AppDependencies): RequestHandler {
  const { config, log, store, stopping, onAnswered } = deps;
  const addressOf = createAddressReader(config.trustedProxies, log);
  const identity = identityOf(config);
  const authenticate = requirePrincipal({
    store,
    challenges: createChallenges(identity),
    resource: resourceOf(identity),
    now: deps.now,
    onFirstUse: deps.onFirstUse,
  });
  const front = { config, log, addressOf, path: MCP_PATH, stopping, authenticate, onAnswered };
  const serveMcp = createFront(front, deps.mcp);
  const servePages = createPages({ ...deps, addressOf }, identity);
  return (request, response) => {
    readAbsoluteTarget(request);
    const target = request.url ?? '';
    const isMcp = target === MCP_PATH || MCP_TARGET.test(target);
    if (isMcp && (request.method === 'POST' || !isPageVisit(request) || /[?&]access_token=/.test(target)))
      serveMcp(request, response);
    else servePages(request, response);
  };
}

interface PagesDependencies extends KoaDependencies {
  readonly routes: AppDependencies['routes'];
}

/**
 * Creates the handler that serves `routes`. The routes and Koa are loaded on the first request: they are half of what a start would
 * load, and a client that only calls tools needs neither.
 *
 * @param identity see `createKoa`.
 */
export function createPages(deps: PagesDependencies, identity: ResourceIdentity | null): RequestHandler {
  let pages: Promise<RequestHandler> | undefined;
  const load = async (): Promise<RequestHandler> => {
    const { createKoa } = await import('./koa.ts');
    return createKoa(deps, identity, await deps.routes());
  };
  return (request, response) => {
    pages ??= load();
    pages.then(
      (serve) => serve(request, response),
      (error: unknown) => {
        deps.log.error({ err: error }, 'the routes could not be loaded');
        response.writeHead(500).end();
      },
    );
  };
}
