/** All routes of the authorization server, in one list. */

import Router from '@koa/router';
import type { EncryptionKey } from '../../base/credentials/index.ts';
import { type GuardedFetch, GuardedFetchError } from '../../base/guarded-fetch/index.ts';
import { cors } from '../../base/http/cors.ts';
import { createAddressLimiter } from '../../base/http/limits/address-limiter.ts';
import { type CallerLimits, createCallerLimits } from '../../base/http/limits/caller-limits.ts';
import { noStore } from '../../base/http/no-store.ts';
import { rateLimit } from '../../base/http/rate-limit.ts';
import type { GatewayMiddleware, RequestState } from '../../base/http/state.ts';
import { createLocalLimits, type Limits } from '../../base/limits/index.ts';
import type { RateLimiter } from '../../base/rate-limiter.ts';
import type { Store } from '../../base/store/index.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';
import type { Refresh } from '../grants/refresh/index.ts';
import type { RegistrationPolicy } from '../protocol/registration-policy.ts';
import { createAllowRouter } from './allow/index.ts';
import { createAuthorizationRouter } from './authorization-endpoint.ts';
import { createClientAuthentication, UNUSED_CLIENT_ASSERTIONS_PER_MINUTE } from './client-authentication.ts';
import { createClientLookup } from './client-documents.ts';
import { createServerMetadataRouter } from './metadata.ts';
import { REGISTER_PATH, REVOKE_PATH, SESSIONS_PATH, TOKEN_PATH } from './paths.ts';
import { registerClient } from './register.ts';
import { createFindKeys } from './remote-keys.ts';
import { revokeToken } from './revoke.ts';
import { createSession } from './sessions.ts';
import { exchangeGrant } from './token.ts';

export interface OAuthDependencies {
  /** The gateway's origin, without a final slash. */
  readonly issuer: string;
  /** The gateway's resource indicator. */
  readonly resource: string;
  /** The key ring, whose first key seals the consent page's state. */
  readonly keys: readonly EncryptionKey[];
  readonly store: Pick<Store, 'db'>;
  readonly refresh: Refresh;
  readonly catalogue: Catalogue;
  /** Schemes of redirect URIs that the operator allows in addition to https and loopback http: lower case, without the colon. */
  readonly privateUseSchemes: readonly string[];
  /** Fetches metadata documents of clients, and keys of clients and identity issuers. Default: nothing is fetched. */
  readonly documents?: Pick<GuardedFetch, 'getJson'>;
  /** Whether the URL of a metadata document is accepted as a client id. Default: false. */
  readonly clientDocuments?: boolean;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  /** Who may register a client. Default: anyone. */
  readonly registration?: RegistrationPolicy;
  /** Registrations that no user has ever allowed anything, across all addresses. Default: 1000. */
  readonly maxUnusedClients?: number;
  /** Longest lifetime of a grant, in milliseconds. Default: each refresh extends it. */
  readonly maxGrantMs?: number | null;
  /** Shared budget of the endpoints for clients and partners. Default: one of `DEFAULT_CALLER_RATES`. */
  readonly callerLimits?: CallerLimits;
  /** Creates the limits. Default: per process. */
  readonly limits?: Limits;
  /** Registrations per client address and minute. Default: 60, because hosted clients register for all their users. */
  readonly registrationsPerMinute?: number;
  /** The limit of registrations. Default: one of `registrationsPerMinute`. */
  readonly registrationLimit?: RateLimiter;
  /** Requests for pages and their forms, per client address. Default: 600 a minute, because a company may share one. */
  readonly authorizationLimit?: RateLimiter;
}

const REGISTRATIONS_PER_MINUTE = 60;
const PAGES_PER_MINUTE = 600;
const MAX_UNUSED_CLIENTS = 1000;

const NO_DOCUMENTS = { getJson: () => Promise.reject(new GuardedFetchError('unreachable')) };

/** Creates the routes. Mount `allowedMethods()` after `routes()`. */
export function createOAuthRouter(options: OAuthDependencies): Router<RequestState> {
  const { documents = NO_DOCUMENTS, clientDocuments = false, now = Date.now } = options;
  const { registration = 'open', maxUnusedClients = MAX_UNUSED_CLIENTS, maxGrantMs = null } = options;
  const { limits = createLocalLimits(), registrationsPerMinute = REGISTRATIONS_PER_MINUTE } = options;
  const callerLimits = options.callerLimits ?? createCallerLimits({ db: options.store.db, limits, now });
  const deps = { ...options, documents, now, registration, maxUnusedClients, maxGrantMs, callerLimits };
  const perMinute = (name: string, points: number) => ({ name, points, durationSeconds: 60 });
  const limit =
    options.registrationLimit ?? createAddressLimiter(limits.exact, perMinute('registrations', registrationsPerMinute));
  const { issuer, store } = deps;
  const clients = createClientLookup({ ...deps, db: store.db, documents: clientDocuments ? documents : null });
  const keysOf = createFindKeys(deps);
  const unusedClientLimit = createAddressLimiter(
    limits.exact,
    perMinute('assertions-unused', UNUSED_CLIENT_ASSERTIONS_PER_MINUTE),
  );
  const senders = { ...deps, db: store.db, clients, findKeys: keysOf, unusedClientLimit };
  const authenticate = createClientAuthentication(senders);
  const limitRegistrations = rateLimit(limit, (ctx) => ctx.ip);

  const router = new Router<RequestState>();
  for (const path of [REGISTER_PATH, TOKEN_PATH, REVOKE_PATH]) router.options(path, forPagesOfAnyOrigin);
  router.post(REGISTER_PATH, forPagesOfAnyOrigin, noStore, limitRegistrations, registerClient(deps));
  const { ofAddress } = callerLimits;
  router.post(TOKEN_PATH, forPagesOfAnyOrigin, noStore, ofAddress, exchangeGrant({ ...deps, authenticate, keysOf }));
  router.post(REVOKE_PATH, forPagesOfAnyOrigin, noStore, ofAddress, revokeToken({ ...deps, authenticate }));
  router.post(SESSIONS_PATH, noStore, ofAddress, createSession(deps));
  const limiter =
    options.authorizationLimit ?? createAddressLimiter(limits.reconciled, perMinute('consent-pages', PAGES_PER_MINUTE));
  const limitPages = rateLimit(limiter, (ctx) => ctx.ip);
  const pages = { ...deps, db: store.db, clients, limit: limitPages };
  router.use(createAuthorizationRouter(pages).routes());
  router.use(createAllowRouter(pages).routes());
  router.use(createServerMetadataRouter(issuer, { clientDocuments, registers: registration !== 'off' }).routes());
  return router;
}

/** Clients may run in a browser, and nothing here uses cookies. */
const forPagesOfAnyOrigin: GatewayMiddleware = cors({
  methods: ['POST'],
  allowHeaders: ['Authorization', 'Content-Type', 'MCP-Protocol-Version'],
  exposeHeaders: ['WWW-Authenticate', 'Retry-After', 'X-Request-Id'],
});
