/** The two steps of the consent page: the connection code, then what it would grant. Nothing is used up before Allow. */

import type { GatewayContext } from '../../http/state.ts';
import type { OAuthClient } from '../../store/repositories/oauth-clients.ts';
import { checkClient, type FindClient } from '../authorize/check-client.ts';
import { checkClientRedirectUri } from '../authorize/check-redirect-uri.ts';
import type { AuthorizationRequest } from '../authorize/index.ts';
import { showCodePage } from './code-page.ts';
import { takeCode } from './code-step.ts';
import { takeDecision, takeDenial } from './consent-step.ts';
import { goToOwnPage } from './own-page-step.ts';
import { type ConsentPageState, toPageState } from './page-state.ts';
import type { ConsentDependencies, Submission } from './submission.ts';

/** Answers an authorization request that passed every check with the first step. */
export function beginConsent(ctx: GatewayContext, request: AuthorizationRequest, deps: ConsentDependencies): void {
  const sealed = deps.sealedForm.seal(ctx, toPageState(request));
  showCodePage(ctx, { client: request.client, redirectUri: request.redirectUri, sealed });
}

/**
 * Takes a form of the page, and answers with the next step or with a redirect to the client.
 *
 * @throws {PageError} 400 for forms that are too old or another browser's, and as `SealedForm.read`.
 */
export async function continueConsent(ctx: GatewayContext, deps: ConsentDependencies): Promise<void> {
  const sent = await deps.sealedForm.read(ctx);
  if (sent.refusal !== null) throw sent.refusal;
  const { form, sealed, pageState } = sent;
  const client = await checkStillRegistered(pageState, deps.findClient);

  const submission: Submission = { form, pageState, sealed, client };
  if (form.get('decision') === 'deny') return takeDenial(ctx, submission, deps);
  if (pageState.connectionCode === null) return takeCode(ctx, submission, deps);
  if (form.get('decision') === 'own-page') return goToOwnPage(ctx, submission, deps);
  return takeDecision(ctx, submission, deps);
}

/** A registration can be removed while the page is open. */
async function checkStillRegistered(pageState: ConsentPageState, findClient: FindClient): Promise<OAuthClient> {
  const { clientId, redirectUri } = pageState;
  const parameters = new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri });
  const client = await checkClient(parameters, findClient);
  checkClientRedirectUri(parameters, client.redirectUris);
  return client;
}
