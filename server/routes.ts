/** Every route except the MCP endpoint. The gateway loads this file on the first request to one of them. */

import type Router from '@koa/router';
import { identityOf } from './app.ts';
import type { CredentialVault, EncryptionKey } from './base/credentials/index.ts';
import type { UpstreamClients } from './base/credentials/upstream-clients.ts';
import type { GuardedFetch } from './base/guarded-fetch/index.ts';
import type { Outgoing } from './base/guarded-fetch/outgoing.ts';
import { createCallerLimits } from './base/http/limits/caller-limits.ts';
import type { RequestState } from './base/http/state.ts';
import type { Limits } from './base/limits/index.ts';
import type { Store } from './base/store/index.ts';
import type { Accounts } from './call/tools/accounts.ts';
import type { Catalogue } from './call/tools/catalogue/catalogue.ts';
import type { ToolProvider } from './call/tools/provider.ts';
import type { createCredentialVerifier } from './call/tools/verify-credential.ts';
import type { Circuits } from './call/upstream/circuits/index.ts';
import type { Revocations } from './call/upstream/lease/revocation.ts';
import type { UpstreamOAuth } from './call/upstream/oauth/types.ts';
import type { Config } from './config/index.ts';
import { createConnectRouter } from './connect/index.ts';
import type { Connector } from './contract/index.ts';
import { createChallenges } from './identity/auth/challenge.ts';
import { resourceOf } from './identity/auth/resource-identity.ts';
import { createRefresh } from './identity/grants/refresh/index.ts';
import { createOAuthRouter } from './identity/oauth/index.ts';
import { createAdminRouter } from './modules/admin/index.ts';
import { ADMIN_PATH } from './modules/admin/request.ts';
import { createLogoRouter } from './modules/branding/serve.ts';
import { createApiDescriptionRouter } from './modules/landing/api-description.ts';
import { createLandingRouter } from './modules/landing/index.ts';
import { createLlmsTxtRouter } from './modules/landing/llms-txt.ts';
import { createSecurityTxtRouter } from './modules/landing/security-txt.ts';
import { createToolPagesRouter } from './modules/landing/tools/index.ts';
import { createUserPageRouter } from './modules/me/index.ts';
import { createPartnerApiRouter } from './partners/index.ts';

export interface RouteDependencies {
  readonly config: Config;
  readonly connectors: readonly Connector[];
  readonly keys: readonly EncryptionKey[];
  readonly vault: CredentialVault;
  readonly store: Store;
  readonly limits: Limits;
  readonly upstreamClients: UpstreamClients;
  readonly revocations: Revocations;
  readonly upstreamOAuth: UpstreamOAuth;
  readonly catalogue: Catalogue;
  readonly tools: ToolProvider;
  readonly verifyCredential: ReturnType<typeof createCredentialVerifier>;
  readonly accounts: Accounts;
  readonly documents: GuardedFetch;
  readonly outgoing: Outgoing;
  readonly circuits: Pick<Circuits, 'list'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** All routes except those of the dashboard. */
export function createRoutes(deps: RouteDependencies): Router<RequestState>[] {
  const { config, connectors, keys, vault, store, limits, upstreamClients, catalogue, verifyCredential, accounts } =
    deps;
  const { revocations, documents, now } = deps;
  const { publicUrl } = config;
  const resource = resourceOf(identityOf(config));
  const challenges = createChallenges(identityOf(config));
  const services = new Map(connectors.map(({ name, title }) => [name, title]));
  const { privateUseSchemes, clientDocuments } = config;
  const clientRules = { privateUseSchemes, clientDocuments, documents };
  const { findConnector, facts } = catalogue;
  const { refreshHoldMs: holdMs, refreshRetryMs: retryMs } = config;
  const { registration, maxUnusedClients, maxGrantMs } = config;
  const tryPath = config.adminListen === null ? `${ADMIN_PATH}/tools` : null;
  const callerLimits = createCallerLimits({ db: store.db, limits, now }, config.callerRates);
  const refresh = createRefresh({ db: store.db, keys, holdMs, retryMs, maxGrantMs, now });
  return [
    createApiDescriptionRouter({ publicUrl }),
    createSecurityTxtRouter({ contacts: config.securityContacts, publicUrl, now }),
    createLlmsTxtRouter({ publicUrl, endpoint: resource, catalogue, hasToolPages: config.toolPages }),
    createOAuthRouter({
      issuer: publicUrl,
      resource,
      keys,
      store,
      refresh,
      catalogue,
      ...clientRules,
      registration,
      maxUnusedClients,
      maxGrantMs,
      callerLimits,
      limits,
      registrationsPerMinute: config.registrationsPerMinute,
      now,
    }),
    createLandingRouter({
      endpoint: resource,
      catalogue,
      hasToolPages: config.toolPages,
      challenge: (host) => challenges(host).missing(),
    }),
    ...(config.toolPages ? [createToolPagesRouter({ catalogue, limits, tryPath })] : []),
    createConnectRouter({
      publicUrl,
      resource,
      store,
      keys,
      vault,
      findConnector,
      facts,
      verifyCredential,
      accounts,
      upstream: { oauth: deps.upstreamOAuth, findClient: upstreamClients.find },
      refresh,
      callerLimits,
      limits,
      now,
    }),
    createPartnerApiRouter({
      store,
      publicUrl,
      catalogue,
      services,
      upstreamClients,
      revocations,
      callerLimits,
      vault,
      networks: config.outgoingNetworks,
      now,
    }),
    createLogoRouter({ db: store.db, callerLimits, findConnector }),
    createUserPageRouter({ db: store.db, publicUrl, keys, catalogue, revocations, limits, now }),
  ];
}

/** The dashboard. */
export function createAdminRoutes(deps: RouteDependencies): Router<RequestState>[] {
  const { config, keys, store, limits, revocations, catalogue, tools, outgoing, circuits, now } = deps;
  const { adminUrl: publicUrl, adminSecret: secret, adminOpenId: openId } = config;
  const { adminIdleSeconds: idleSeconds, adminSessionSeconds: sessionSeconds } = config;
  const resource = resourceOf(identityOf(config));
  const signIn = { secret, openId, idleSeconds, sessionSeconds };
  const parts = { catalogue, revocations, tools, outgoing, limits, circuits, baseUrls: config.baseUrls };
  return [createAdminRouter({ db: store.db, publicUrl, resource, keys, ...signIn, ...parts, now })];
}
