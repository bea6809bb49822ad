/** The connect flow: how a user's service becomes connected, and how the partner confirms it. */

import Router from '@koa/router';
import type { CredentialVault, EncryptionKey } from '../credentials/index.ts';
import type { Refresh } from '../grants/refresh/index.ts';
import { createAddressLimiter } from '../http/limits/address-limiter.ts';
import type { CallerLimits } from '../http/limits/caller-limits.ts';
import { noStore } from '../http/no-store.ts';
import { rateLimit } from '../http/rate-limit.ts';
import type { GatewayContext, RequestState } from '../http/state.ts';
import { pageErrors } from '../pages/page-errors.ts';
import { createSealedForm } from '../pages/sealed-form.ts';
import type { Store } from '../store/index.ts';
import { findPartnerByClientId } from '../store/repositories/partners.ts';
import type { Accounts } from '../tools/accounts.ts';
import type { CatalogueFacts } from '../tools/catalogue/facts.ts';
import type { VerifyCredential } from '../tools/verify-credential.ts';
import { type ConnectDependencies, continueConnect } from './connect-form.ts';
import { showConnectPage } from './connect-page.ts';
import { CONNECT_PAGE, toPageState } from './page-state.ts';
import { CONNECT_ROUTE, CONNECT_TOKEN_PATH } from './paths.ts';
import type { FindConnector } from './request/check-service.ts';
import { checkConnectRequest } from './request/index.ts';
import { redirectToPartner } from './response.ts';
import { exchangeConnectGrant } from './token/index.ts';

/** What the connect flow works with. */
interface ConnectRouterDependencies {
  /** The gateway's origin, without a final slash. */
  readonly publicUrl: string;
  /** The gateway's resource indicator. */
  readonly resource: string;
  readonly store: Pick<Store, 'db'>;
  /** The key ring, whose first key seals what the page carries. */
  readonly keys: readonly EncryptionKey[];
  readonly vault: CredentialVault;
  readonly findConnector: FindConnector;
  readonly facts: CatalogueFacts;
  readonly verifyCredential: VerifyCredential;
  readonly accounts: Pick<Accounts, 'note'>;
  readonly refresh: Refresh;
  readonly callerLimits: CallerLimits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Pages and forms that one address may ask for per minute on one gateway. */
const REQUESTS_PER_MINUTE = 120;

/** Connect flows that one address may complete per minute on one gateway; their codes hold credentials. */
const CODES_PER_MINUTE = 30;

/** Creates the routes. They keep nothing between requests, so each step may reach another gateway of the same store. */
export function createConnectRouter(deps: ConnectRouterDependencies): Router<RequestState> {
  const { db } = deps.store;
  const connect: ConnectDependencies = {
    db,
    vault: deps.vault,
    verifyCredential: deps.verifyCredential,
    findPartner: (clientId) => findPartnerByClientId(db, clientId),
    findConnector: deps.findConnector,
    sealedForm: createSealedForm({ ...CONNECT_PAGE, keys: deps.keys, publicUrl: deps.publicUrl, now: deps.now }),
    codeLimit: createAddressLimiter({ points: CODES_PER_MINUTE, durationSeconds: 60 }),
    now: deps.now,
  };
  const limiter = createAddressLimiter({ points: REQUESTS_PER_MINUTE, durationSeconds: 60 });
  const limit = rateLimit(limiter, (ctx) => ctx.ip);

  const router = new Router<RequestState>();
  router.get(CONNECT_ROUTE, pageErrors(), limit, (ctx) =>
    beginConnect(ctx as unknown as GatewayContext, ctx.params.service ?? '', connect),
  );
  router.post(CONNECT_ROUTE, pageErrors(), limit, (ctx) =>
    continueConnect(ctx as unknown as GatewayContext, ctx.params.service ?? '', connect),
  );
  router.post(CONNECT_TOKEN_PATH, noStore, deps.callerLimits.ofAddress, exchangeConnectGrant(deps));
  return router;
}

async function beginConnect(ctx: GatewayContext, service: string, deps: ConnectDependencies): Promise<void> {
  const checked = await checkConnectRequest(service, new URLSearchParams(ctx.querystring), deps);
  if ('refusal' in checked) {
    const { refusal, redirectUri, state } = checked;
    const answer = { error: refusal.error, error_description: refusal.description };
    return redirectToPartner(ctx, { redirectUri, state }, answer);
  }
  showConnectPage(ctx, checked, { sealed: deps.sealedForm.seal(ctx, toPageState(checked)) });
}
