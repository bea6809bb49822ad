/** The routes of the core, except the MCP endpoint. The gateway loads this file on the first request to one of them. */

import type Router from '@koa/router';
import { identityOf } from './app.ts';
import { createValueSealer } from './base/credentials/sealed-value.ts';
import { resourceOf } from './base/http/challenge.ts';
import type { RequestState } from './base/http/state.ts';
import type { Config } from './config/index.ts';
import { createConnectRouter } from './connect/index.ts';
import type { Connector } from './contract/index.ts';
import type { OpenCore } from './core.ts';
import { createRefresh } from './identity/grants/refresh/index.ts';
import { createOAuthRouter } from './identity/oauth/index.ts';
import type { OpenModule } from './module.ts';
import { createPartnerApiRouter } from './partners/index.ts';

/** Dependencies of the routes. */
interface RouteDependencies extends OpenCore {
  readonly config: Config;
  readonly connectors: readonly Connector[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly modules: readonly OpenModule[];
}

/** The routes of the core, in matching order. */
export function createRoutes(deps: RouteDependencies): Router<RequestState>[] {
  const { config, connectors, keys, vault, store, limits, upstreamClients, catalogue, realms } = deps;
  const { revocations, documents, callerLimits, now, modules } = deps;
  const { publicUrl } = config;
  const resource = resourceOf(identityOf(config));
  const services = new Map(connectors.map(({ name, title }) => [name, title]));
  const { privateUseSchemes, clientDocuments } = config;
  const clientRules = { privateUseSchemes, clientDocuments, documents };
  const { refreshHoldMs: holdMs, refreshRetryMs: retryMs } = config;
  const { registration, maxUnusedClients, maxGrantMs, consent } = config;
  const refresh = createRefresh({ db: store.db, keys, holdMs, retryMs, maxGrantMs, now });
  return [
    createOAuthRouter({
      issuer: publicUrl,
      resource,
      keys,
      store,
      refresh,
      catalogue,
      grantTypes: modules.flatMap(({ grantTypes = [] }) => grantTypes),
      ...clientRules,
      registration,
      maxUnusedClients,
      maxGrantMs,
      consent,
      callerLimits,
      limits,
      registrationsPerMinute: config.registrationsPerMinute,
      now,
    }),
    createConnectRouter({
      publicUrl,
      resource,
      store,
      keys,
      vault,
      catalogue,
      realms,
      refresh,
      callerLimits,
      limits,
      now,
    }),
    createPartnerApiRouter({
      db: store.db,
      publicUrl,
      catalogue,
      services,
      upstreamClients,
      revocations,
      approvals: deps.approvals,
      tools: deps.tools,
      cursors: createValueSealer({ keys, purpose: 'cursors of the partner API' }),
      callerOf: deps.callerOf,
      resource,
      callerLimits,
      now,
    }),
  ];
}
