/** All routes of the authorization server, in one list. */

import Router from '@koa/router';
import { createAddressLimiter, rateLimit } from '../../base/http/caller-limits.ts';
import { cors, noStore } from '../../base/http/headers.ts';
import type { GatewayMiddleware, RequestState } from '../../base/http/state.ts';
import { createAuthorizationRouter } from './consent/index.ts';
import { createOAuthContext, type OAuthDependencies } from './context.ts';
import { createServerMetadataRouter } from './metadata.ts';
import { createConnectionCode } from './mint-connection-code.ts';
import { REGISTER_PATH, REVOKE_PATH, SESSIONS_PATH, TOKEN_PATH } from './paths.ts';
import { registerClient } from './register.ts';
import { revokeToken } from './revoke.ts';
import { exchangeGrant } from './token.ts';
import { createToolConsentRouter } from './tool-consent.ts';

/** Requests for pages and their forms, per client address and minute. A company may share one address. */
const PAGES_PER_MINUTE = 600;

/** Creates the routes. Mount `allowedMethods()` after `routes()`. */
export function createOAuthRouter(deps: OAuthDependencies): Router<RequestState> {
  const { limits, registrationsPerMinute } = deps;
  const context = createOAuthContext(deps);
  const { ofAddress } = deps.callerLimits;
  const registrations = { name: 'registrations', points: registrationsPerMinute, durationSeconds: 60 };
  const pages = { name: 'consent-pages', points: PAGES_PER_MINUTE, durationSeconds: 60 };
  const limitRegistrations = rateLimit(createAddressLimiter(limits.exact, registrations), (ctx) => ctx.ip);
  const limitPages = rateLimit(createAddressLimiter(limits.reconciled, pages), (ctx) => ctx.ip);

  const router = new Router<RequestState>();
  for (const path of [REGISTER_PATH, TOKEN_PATH, REVOKE_PATH]) router.options(path, forPagesOfAnyOrigin);
  router.post(REGISTER_PATH, forPagesOfAnyOrigin, noStore, limitRegistrations, registerClient(context));
  router.post(TOKEN_PATH, forPagesOfAnyOrigin, noStore, ofAddress, exchangeGrant(context));
  router.post(REVOKE_PATH, forPagesOfAnyOrigin, noStore, ofAddress, revokeToken(context));
  router.post(SESSIONS_PATH, noStore, ofAddress, createConnectionCode(context));
  router.use(createAuthorizationRouter(context, limitPages).routes());
  router.use(createToolConsentRouter(context, limitPages).routes());
  router.use(createServerMetadataRouter(context).routes());
  return router;
}

/** Clients may run in a browser, and nothing here uses cookies. */
const forPagesOfAnyOrigin: GatewayMiddleware = cors({
  methods: ['POST'],
  allowHeaders: ['Authorization', 'Content-Type', 'MCP-Protocol-Version'],
  exposeHeaders: ['WWW-Authenticate', 'Retry-After', 'X-Request-Id'],
});
