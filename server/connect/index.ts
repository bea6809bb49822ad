/** The connect flow: how a user connects a service, and how the partner confirms it. */

import Router from '@koa/router';
import type { CredentialVault, EncryptionKey } from '../base/credentials/index.ts';
import { createAddressLimiter } from '../base/http/limits/address-limiter.ts';
import type { CallerLimits } from '../base/http/limits/caller-limits.ts';
import { noStore } from '../base/http/no-store.ts';
import { rateLimit } from '../base/http/rate-limit.ts';
import type { GatewayContext, GatewayMiddleware, RequestState } from '../base/http/state.ts';
import { createLocalLimits, type Limits } from '../base/limits/index.ts';
import { createBrowserIds } from '../base/pages/browser-id.ts';
import { pageErrors } from '../base/pages/page-errors.ts';
import { createSealedForm } from '../base/pages/sealed-form.ts';
import type { Store } from '../base/store/index.ts';
import { findPartnerByClientId } from '../base/store/repositories/partners.ts';
import type { Accounts } from '../call/tools/accounts.ts';
import type { CatalogueFacts } from '../call/tools/catalogue/facts.ts';
import type { VerifyCredential } from '../call/tools/verify-credential.ts';
import type { Refresh } from '../identity/grants/refresh/index.ts';
import type { ConnectDependencies, UpstreamSignIn } from './dependencies.ts';
import { continueConnect } from './form/index.ts';
import { receiveAuthorization } from './oauth/callback.ts';
import { PENDING_AUTHORIZATION } from './oauth/pending.ts';
import { CONNECT_SCRIPT } from './page/connect-script.ts';
import { CALLBACK_ROUTE, CONNECT_PATH, CONNECT_ROUTE, CONNECT_SCRIPT_PATH, CONNECT_TOKEN_PATH } from './paths.ts';
import type { FindConnector } from './request/check-service.ts';
import { SESSION_COOKIE } from './session/cookie.ts';
import { exchangeConnectGrant } from './token/index.ts';
import { beginPlainVisit, showSession } from './visit/begin.ts';
import { CONNECT_PAGE } from './visit/page-state.ts';

/** What the connect flow needs. */
interface ConnectRouterDependencies {
  /** The gateway's origin, without a final slash. */
  readonly publicUrl: string;
  /** The gateway's resource indicator. */
  readonly resource: string;
  readonly store: Pick<Store, 'db'>;
  /** The key ring; its first key seals the state of the page. */
  readonly keys: readonly EncryptionKey[];
  readonly vault: CredentialVault;
  readonly findConnector: FindConnector;
  readonly facts: CatalogueFacts;
  readonly verifyCredential: VerifyCredential;
  readonly accounts: Pick<Accounts, 'note'>;
  readonly upstream: UpstreamSignIn;
  readonly refresh: Refresh;
  readonly callerLimits: CallerLimits;
  /** Creates the limits. Default: those of this process. */
  readonly limits?: Limits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Page and form requests of one address per minute. */
const REQUESTS_PER_MINUTE = 120;

/** Codes that one address may get from plain links per minute; each code holds a credential. */
const CODES_PER_MINUTE = 30;

/** How long browsers may cache the script, in seconds. */
const SCRIPT_MAX_AGE_SECONDS = 3600;

/** Creates the routes. They keep no state between requests, so each step may reach another gateway of the same store. */
export function createConnectRouter(deps: ConnectRouterDependencies): Router<RequestState> {
  const { limits = createLocalLimits() } = deps;
  const connect = toDependencies(deps, limits);
  const rule = { name: 'connect-pages', points: REQUESTS_PER_MINUTE, durationSeconds: 60 };
  const limiter = createAddressLimiter(limits.reconciled, rule);
  const limit = rateLimit(limiter, (ctx) => ctx.ip);
  const router = new Router<RequestState>();
  const page = (
    method: 'get' | 'post',
    path: string,
    answer: (ctx: GatewayContext, service: string, deps: ConnectDependencies) => Promise<void>,
  ): void => {
    router[method](path, pageErrors(), limit, (ctx) =>
      answer(ctx as unknown as GatewayContext, ctx.params.service ?? '', connect),
    );
  };

  page('get', CONNECT_PATH, (ctx) => showSession(ctx, connect));
  page('post', CONNECT_PATH, (ctx) => continueConnect(ctx, null, connect));
  page('get', CONNECT_ROUTE, beginPlainVisit);
  page('post', CONNECT_ROUTE, continueConnect);
  page('get', CALLBACK_ROUTE, receiveAuthorization);
  router.get(CONNECT_SCRIPT_PATH, sendScript);
  router.post(CONNECT_TOKEN_PATH, noStore, deps.callerLimits.ofAddress, exchangeConnectGrant(deps));
  return router;
}

function toDependencies(deps: ConnectRouterDependencies, limits: Limits): ConnectDependencies {
  const { publicUrl, keys, vault, findConnector, verifyCredential, upstream, now } = deps;
  const { db } = deps.store;
  const sealing = { keys, publicUrl, now };
  return {
    db,
    publicUrl,
    vault,
    verifyCredential,
    upstream,
    now,
    findPartner: (clientId) => findPartnerByClientId(db, clientId),
    findConnector,
    browserIds: createBrowserIds(publicUrl),
    sealedForm: createSealedForm({ ...CONNECT_PAGE, ...sealing }),
    sessionCookie: createSealedForm({ ...SESSION_COOKIE, ...sealing }),
    codeLimit: createAddressLimiter(limits.exact, {
      name: 'connect-codes',
      points: CODES_PER_MINUTE,
      durationSeconds: 60,
    }),
    pendingAuthorization: createSealedForm({ ...PENDING_AUTHORIZATION, ...sealing }),
  };
}

/** Pages of any site may load the script; it contains no one's data. */
const sendScript: GatewayMiddleware = (ctx) => {
  ctx.set({
    'Cache-Control': `public, max-age=${SCRIPT_MAX_AGE_SECONDS}`,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
  });
  ctx.type = 'text/javascript; charset=utf-8';
  ctx.body = CONNECT_SCRIPT;
};
