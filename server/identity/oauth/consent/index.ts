/**
 * The two steps of the consent page: the connection code, then what it would grant. Nothing is consumed before Allow.
 *
 * Every form is answered with a redirect: to the page that shows the next step, or to the client. So no page in the
 * browser's history is the response to a form, and Back never asks to send one again.
 */

import type { GatewayContext } from '../../../base/http/state.ts';
import { suspensionNotice } from '../../../base/pages/partner-suspended.ts';
import { sendRedirect } from '../../../base/pages/redirect.ts';
import type { OAuthClient } from '../../../base/store/repositories/oauth-clients.ts';
import { wasGrantSentTo } from '../../../base/store/repositories/oauth-grants.ts';
import { type AuthorizationRequest, checkClient, checkClientRedirectUri } from '../authorize.ts';
import { findConnectionCode } from '../connection-codes.ts';
import { CONSENT_PATH } from '../paths.ts';
import { isAnswered, showAnsweredPage } from './answered.ts';
import { showCodePage } from './code-page.ts';
import { takeCode } from './code-step.ts';
import { showConsentPage } from './consent-page.ts';
import { takeDecision, takeDenial } from './consent-step.ts';
import { buildOffer } from './offer.ts';
import { goToOwnPage } from './own-page-step.ts';
import { type ConsentPageState, toPageState } from './page-state.ts';
import type { ConsentDependencies, Submission } from './submission.ts';

/** Answers a valid authorization request with the first step. */
export function beginConsent(ctx: GatewayContext, request: AuthorizationRequest, deps: ConsentDependencies): void {
  const pageState = toPageState(request);
  showCodePage(ctx, { client: request.client, sealed: deps.sealedForm.seal(ctx, pageState), pageState });
}

/**
 * Takes a form of the page, and answers with a redirect to the next step or to the client.
 *
 * @throws {PageError} 400 for forms that are too old or from another browser, and as `SealedForm.read`.
 */
export async function continueConsent(ctx: GatewayContext, deps: ConsentDependencies): Promise<void> {
  const sent = await deps.sealedForm.read(ctx);
  if (sent.refusal !== null) throw sent.refusal;
  const { form, pageState } = sent;
  const client = await checkStillRegistered(pageState, deps);

  const submission: Submission = { form, pageState, client };
  const next = await takeForm(ctx, submission, deps);
  if (next === null) return;
  const query = new URLSearchParams({ page_state: deps.sealedForm.seal(ctx, next) });
  sendRedirect(ctx, `${CONSENT_PATH}?${query}`);
}

/** @returns the step to show, or null when the client was answered. */
function takeForm(
  ctx: GatewayContext,
  submission: Submission,
  deps: ConsentDependencies,
): Promise<ConsentPageState | null> {
  if (submission.form.get('decision') === 'deny') return takeDenial(ctx, submission, deps);
  if (submission.pageState.connectionCode === null) return takeCode(ctx, submission, deps);
  if (submission.form.get('decision') === 'own-page') return goToOwnPage(ctx, submission, deps);
  return takeDecision(ctx, submission, deps);
}

/**
 * Shows the step in the query; for an answered request, a page that says so.
 *
 * @throws {PageError} 400 for a step that is too old or from another browser.
 */
export async function showStep(ctx: GatewayContext, deps: ConsentDependencies): Promise<void> {
  const sealed = new URLSearchParams(ctx.querystring).get('page_state') ?? '';
  const pageState = deps.sealedForm.open(ctx, sealed);
  const now = deps.now();
  if (await isAnswered(deps.db, pageState, now)) return showAnsweredPage(ctx);
  const client = await checkStillRegistered(pageState, deps);
  if (pageState.connectionCode === null) return showCodePage(ctx, { client, sealed, pageState });

  const found = await findConnectionCode(deps.db, pageState.connectionCode, now);
  if (found === undefined) {
    const spent: ConsentPageState = { ...pageState, connectionCode: null, problem: 'spent' };
    return showCodePage(ctx, { client, sealed: deps.sealedForm.seal(ctx, spent), pageState: spent });
  }
  if (found.isSuspended) {
    const first: ConsentPageState = { ...pageState, connectionCode: null };
    const suspended = suspensionNotice(found.partner.name);
    return showCodePage(ctx, { client, sealed: deps.sealedForm.seal(ctx, first), pageState: first, suspended });
  }
  const { redirectUri, scopes, problem } = pageState;
  const offer = buildOffer(found, scopes, deps.catalogue);
  const wasSentTo = await wasGrantSentTo(deps.db, redirectUri);
  showConsentPage(ctx, {
    client,
    redirectUri,
    wasSentTo,
    sealed,
    found,
    offer,
    leftNothing: problem === 'nothing-left',
  });
}

/** A registration can be removed while the page is open. */
async function checkStillRegistered(pageState: ConsentPageState, deps: ConsentDependencies): Promise<OAuthClient> {
  const { clientId, redirectUri } = pageState;
  const parameters = new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri });
  const client = await checkClient(parameters, deps);
  checkClientRedirectUri(parameters, client.redirectUris);
  return client;
}
