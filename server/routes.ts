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
import type { ClientGrantType } from './identity/oauth/context.ts';
import { createOAuthRouter } from './identity/oauth/index.ts';
import { createPartnerApiRouter } from './partners/index.ts';

/** Dependencies of the routes. */
interface RouteDependencies {
  readonly core: OpenCore;
  readonly config: Config;
  readonly connectors: readonly Connector[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly grantTypes: readonly ClientGrantType[];
}

/** The routes of the core, in matching order. */
export function createRoutes({ core, config, connectors, now, grantTypes }: RouteDependencies): Router<RequestState>[] {
  const { keys, vault, store, limits, upstreamClients, catalogue, realms } = core;
  const { revocations, documents, callerLimits } = core;
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
      grantTypes,
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
      approvals: core.approvals,
      callRules: core.callRules,
      tools: core.tools,
      cursors: createValueSealer({ keys, purpose: 'cursors of the partner API' }),
      callerOf: core.callerOf,
      resource,
      callerLimits,
      now,
    }),
  ];
}
