/** The connect flow: how a user connects a service, and how the partner confirms it. */

import Router from '@koa/router';
import { createAddressLimiter, rateLimit } from '../base/http/caller-limits.ts';
import { noStore } from '../base/http/headers.ts';
import { originOf } from '../base/http/request-origin.ts';
import type { GatewayContext, GatewayMiddleware, RequestState } from '../base/http/state.ts';
import { pageErrors } from '../base/pages/page-errors.ts';
import { findUserById } from '../base/store/repositories/users.ts';
import { isOfPartner, requireGrantType } from '../identity/grants/grant-outcome.ts';
import { disconnectedOf, type RefreshRequest } from '../identity/grants/refresh/request.ts';
import { receiveFromPartner } from '../identity/partners/secrets.ts';
import { readOAuthForm } from '../identity/protocol/form.ts';
import { CLIENT_METADATA_PATH, CONNECT_PATH, sendClientMetadata } from './client-metadata.ts';
import { CONNECT_SCRIPT } from './connect-script.ts';
import { type ConnectContext, type ConnectDependencies, createConnectContext } from './context.ts';
import { type RedeemOutcome, type RedeemRequest, redeemCode } from './redeem-code.ts';
import { showPlain, showSession, takeForm, takeSignIn } from './steps.ts';

/** Path at which a partner redeems the code of a connect flow. */
const TOKEN_PATH = '/api/oauth/token';

/** Script with which partners' pages open the connect page. */
const SCRIPT_PATH = '/connect.js';

/** Time for which browsers may cache the script, in seconds. */
const SCRIPT_MAX_AGE_SECONDS = 3600;

/** Page and form requests of one address per minute. */
const REQUESTS_PER_MINUTE = 120;

/** Creates the routes. They keep no state between requests, so each step may reach another gateway of the same store. */
export function createConnectRouter(deps: ConnectDependencies): Router<RequestState> {
  const context = createConnectContext(deps);
  const rule = { name: 'connect-pages', points: REQUESTS_PER_MINUTE, durationSeconds: 60 };
  const limit = rateLimit(createAddressLimiter(deps.limits.reconciled, rule), (ctx) => ctx.ip);
  const router = new Router<RequestState>();
  const page = (
    method: 'get' | 'post',
    path: string,
    answer: (ctx: GatewayContext, service: string, context: ConnectContext) => Promise<void>,
  ): void => {
    router[method](path, pageErrors(), limit, (ctx) =>
      answer(ctx as unknown as GatewayContext, ctx.params.service ?? '', context),
    );
  };

  page('get', CONNECT_PATH, (ctx) => showSession(ctx, context));
  page('post', CONNECT_PATH, (ctx) => takeForm(ctx, null, context));
  router.get(CLIENT_METADATA_PATH, sendClientMetadata(deps.publicUrl, deps.catalogue.connectors));
  page('get', `${CONNECT_PATH}/:service`, showPlain);
  page('post', `${CONNECT_PATH}/:service`, takeForm);
  page('get', `${CONNECT_PATH}/:service/callback`, takeSignIn);
  router.get(SCRIPT_PATH, sendScript);
  router.post(TOKEN_PATH, noStore, deps.callerLimits.ofAddress, exchangeConnectGrant(context));
  return router;
}

/** Sends the script to pages of any site, because it contains no user's data. */
const sendScript: GatewayMiddleware = (ctx) => {
  ctx.set({
    'Cache-Control': `public, max-age=${SCRIPT_MAX_AGE_SECONDS}`,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
  });
  ctx.type = 'text/javascript; charset=utf-8';
  ctx.body = CONNECT_SCRIPT;
};

type GrantHandler = (request: RedeemRequest & RefreshRequest) => Promise<RedeemOutcome>;

/**
 * `POST /api/oauth/token`: a partner redeems the code of a connect flow, and refreshes the tokens that it got.
 *
 * Answers with tokens, and with the `user_id` and first `service` of the connect flow that they began with; a code also
 * with all `services` that are connected now.
 *
 * @throws {OAuthError} `invalid_client` (401), `unsupported_grant_type` (400), and the errors of the grant type.
 */
function exchangeConnectGrant(deps: ConnectContext): GatewayMiddleware {
  const { db } = deps;
  const grantTypes: ReadonlyMap<string, GrantHandler> = new Map<string, GrantHandler>([
    [
      'authorization_code',
      (request) => db.transaction().execute((transaction) => redeemCode(transaction, request, deps)),
    ],
    ['refresh_token', (request) => deps.refresh(request, (grant) => isOfPartner(grant, request.partner))],
  ]);
  return async (ctx) => {
    const read = async () => ({ form: await readOAuthForm(ctx.req) });
    const { partner, body } = await receiveFromPartner(deps, ctx.get('Authorization'), read);
    const { form } = body;
    const exchange = requireGrantType(form, grantTypes);
    const disconnected = disconnectedOf(ctx.res);
    const outcome = await exchange({ partner, form, now: deps.now(), origin: originOf(ctx), disconnected });
    if ('refusal' in outcome) throw outcome.refusal;
    const { userId, service } = outcome.grant;
    const { connected } = outcome;
    const user = await findUserById(db, userId);
    const owner = { partnerId: partner.id, userId, externalUserId: user?.externalUserId ?? '' };
    const accounts = deps.realms.find(partner)?.accounts;
    for (const connection of connected ?? []) accounts?.note({ ...owner, ...connection });
    const names = { user_id: user?.externalUserId, service };
    const services = connected?.map((connection) => connection.service);
    ctx.body = { ...outcome.tokens, ...names, services };
  };
}
