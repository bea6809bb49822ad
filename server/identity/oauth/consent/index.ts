/**
 * The routes of the authorization endpoint. GET begins; POST takes the form of one of the two steps of the consent page: the connection
 * code, then what it would grant. Nothing is consumed before Allow.
 *
 * Every form is answered with a redirect: to the page that shows the next step, or to the client. So no page in the
 * browser's history is the response to a form, and Back never asks to send one again.
 */

import Router from '@koa/router';
import type { GatewayContext, GatewayMiddleware, RequestState } from '../../../base/http/state.ts';
import { html } from '../../../base/pages/html.ts';
import { sendPage } from '../../../base/pages/page.ts';
import { pageErrors } from '../../../base/pages/page-errors.ts';
import { suspensionNotice } from '../../../base/pages/partner-suspended.ts';
import { sendRedirect } from '../../../base/pages/redirect.ts';
import { type OAuthClient, protectDuringConsent } from '../../../base/store/repositories/oauth-clients.ts';
import { wasGrantSentTo } from '../../../base/store/repositories/oauth-grants.ts';
import { checkAuthorizationRequest, checkClient, checkClientRedirectUri, redirectToClient } from '../authorize.ts';
import { findConnectionCode } from '../connection-codes.ts';
import type { OAuthContext } from '../context.ts';
import { AUTHORIZE_PATH, CONSENT_PATH } from '../paths.ts';
import { CODE_PAGE_TTL_SECONDS } from '../try-connection-code.ts';
import { showCodePage } from './code-page.ts';
import { showConsentPage } from './consent-page.ts';
import {
  type ConsentContext,
  type ConsentPageState,
  createConsentContext,
  type Submission,
  toPageState,
} from './page-state.ts';
import { consentOptionsFor, goToOwnPage, isAnswered, spent, takeCode, takeDecision, takeDenial } from './steps.ts';

/**
 * Creates the routes. They keep no state, so each step may reach another gateway on the same store.
 *
 * @param limit limits requests per client address.
 */
export function createAuthorizationRouter(context: OAuthContext, limit: GatewayMiddleware): Router<RequestState> {
  const deps = createConsentContext(context);
  const router = new Router<RequestState>();
  router.get(AUTHORIZE_PATH, pageErrors(), limit, (ctx) => beginConsent(ctx as GatewayContext, deps));
  router.post(AUTHORIZE_PATH, pageErrors(), limit, (ctx) => continueConsent(ctx as GatewayContext, deps));
  router.get(CONSENT_PATH, pageErrors(), limit, (ctx) => showStep(ctx as GatewayContext, deps));
  return router;
}

/** Answers a valid authorization request with the first step. @throws {PageError} as `checkAuthorizationRequest`. */
async function beginConsent(ctx: GatewayContext, deps: ConsentContext): Promise<void> {
  const request = await checkAuthorizationRequest(new URLSearchParams(ctx.querystring), deps);
  if ('client' in request) {
    await keepRegistered(request.client, deps);
    const pageState = toPageState(request);
    return showCodePage(ctx, { client: request.client, sealed: deps.sealedForm.seal(ctx, pageState), pageState });
  }
  const { refusal, redirectUri, state } = request;
  const answer = { error: refusal.error, error_description: refusal.description };
  redirectToClient(ctx, { redirectUri, state, issuer: deps.issuer }, answer);
}

/**
 * Takes a form of the page, and answers with a redirect to the next step or to the client.
 *
 * @throws {PageError} 400 for forms that are too old or from another browser, and as `SealedForm.read`.
 */
async function continueConsent(ctx: GatewayContext, deps: ConsentContext): Promise<void> {
  const submission = await deps.sealedForm.read(ctx);
  if (submission.refusal !== null) throw submission.refusal;
  await checkStillRegistered(submission.pageState, deps);

  const next = await takeForm(ctx, submission, deps);
  if (next === null) return;
  const query = new URLSearchParams({ page_state: deps.sealedForm.seal(ctx, next) });
  sendRedirect(ctx, `${CONSENT_PATH}?${query}`);
}

/** @returns the step to show, or null when the client was answered. */
function takeForm(ctx: GatewayContext, submission: Submission, deps: ConsentContext): Promise<ConsentPageState | null> {
  const decision = submission.form.get('decision');
  if (decision === 'deny') return takeDenial(ctx, submission, deps);
  if (submission.pageState.connectionCode === null) return takeCode(ctx, submission, deps);
  if (decision === 'own-page') return goToOwnPage(ctx, submission, deps);
  return takeDecision(ctx, submission, deps);
}

/**
 * Shows the step in the query; for an answered request, a page that says so.
 *
 * @throws {PageError} 400 for a step that is too old or from another browser.
 */
async function showStep(ctx: GatewayContext, deps: ConsentContext): Promise<void> {
  const sealed = new URLSearchParams(ctx.querystring).get('page_state') ?? '';
  const pageState = deps.sealedForm.open(ctx, sealed);
  const now = deps.now();
  if (await isAnswered(deps.db, pageState, now)) return showAnsweredPage(ctx);
  const client = await checkStillRegistered(pageState, deps);
  if (pageState.connectionCode === null) return showCodePage(ctx, { client, sealed, pageState });

  const code = await findConnectionCode(deps.db, pageState.connectionCode, now);
  if (code === undefined) {
    const first = spent(pageState);
    return showCodePage(ctx, { client, sealed: deps.sealedForm.seal(ctx, first), pageState: first });
  }
  if (code.partner.suspendedAt !== null) {
    const first: ConsentPageState = { ...pageState, connectionCode: null };
    const suspended = suspensionNotice(code.partner.name);
    return showCodePage(ctx, { client, sealed: deps.sealedForm.seal(ctx, first), pageState: first, suspended });
  }
  const { redirectUri, problem } = pageState;
  showConsentPage(ctx, {
    client,
    redirectUri,
    wasSentTo: await wasGrantSentTo(deps.db, redirectUri),
    sealed,
    code,
    ...(await consentOptionsFor(code, pageState, deps)),
    leftNothing: problem === 'nothing-left',
  });
}

/** Finds the client again. An operator can remove it while the page is open. @throws {PageError} 400. */
async function checkStillRegistered(pageState: ConsentPageState, deps: ConsentContext): Promise<OAuthClient> {
  const { clientId, redirectUri } = pageState;
  const parameters = new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri });
  const client = await checkClient(parameters, deps);
  checkClientRedirectUri(parameters, client.redirectUris);
  await keepRegistered(client, deps);
  return client;
}

/** Keeps the registration of a new client for as long as a page that is shown now can be answered. */
async function keepRegistered({ clientId, wasAllowed }: OAuthClient, { db, now }: ConsentContext): Promise<void> {
  if (wasAllowed) return;
  await protectDuringConsent(db, clientId, now() + CODE_PAGE_TTL_SECONDS * 1000);
}

/** Shows that there is nothing left to decide. Status 410. */
function showAnsweredPage(ctx: GatewayContext): void {
  const title = 'This request has been answered';
  const content = html`<header><h1>${title}</h1>
<p>The application knows what you decided. To decide differently, start again there.</p></header>`;
  sendPage(ctx, 410, { title, content });
}
