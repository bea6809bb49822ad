/** The two steps of the consent page: the connection code, then what it would grant. Nothing is used up before Allow. */

import { readForm } from '../../http/body.ts';
import type { GatewayContext } from '../../http/state.ts';
import { checkSameSite } from '../../pages/check-same-site.ts';
import { PageError } from '../../pages/page-errors.ts';
import type { OAuthClient } from '../../store/repositories/oauth-clients.ts';
import { checkClient, type FindClient } from '../authorize/check-client.ts';
import { checkRedirectUri } from '../authorize/check-redirect-uri.ts';
import type { AuthorizationRequest } from '../authorize/index.ts';
import { showCodePage } from './code-page.ts';
import { takeCode } from './code-step.ts';
import { takeDecision, takeDenial } from './consent-step.ts';
import type { ConsentDependencies, Submission } from './submission.ts';
import { type Transaction, toTransaction } from './transaction.ts';

/** Far above a transaction with the longest state and redirect URI. */
const MAX_FORM_BYTES = 65_536;

/** Answers an authorization request that passed every check with the first step. */
export function beginConsent(ctx: GatewayContext, request: AuthorizationRequest, deps: ConsentDependencies): void {
  const { browserIds, sealer } = deps;
  const browserId = browserIds.ensure(ctx);
  const sealed = sealer.seal(toTransaction(request), browserId, deps.now());
  showCodePage(ctx, { client: request.client, redirectUri: request.redirectUri, sealed });
}

/**
 * Takes a form of the page, and answers with the next step or with a redirect to the client.
 *
 * @throws {PageError} 403 for forms of other sites, 400 for those that are too old or another browser's.
 * @throws {RequestError} 413 and 415, as `readForm`.
 */
export async function continueConsent(ctx: GatewayContext, deps: ConsentDependencies): Promise<void> {
  checkSameSite((header) => ctx.get(header), deps.issuer);
  const form = await readForm(ctx.req, { maxBytes: MAX_FORM_BYTES });
  const browserId = deps.browserIds.read(ctx);
  if (browserId === null) throw cookieMissing();
  const sealed = form.get('transaction') ?? '';
  const transaction = deps.sealer.open(sealed, browserId, deps.now());
  if (transaction === null) throw tooOld();
  const client = await checkStillRegistered(transaction, deps.findClient);

  const submission: Submission = { form, transaction, sealed, browserId, client };
  if (form.get('decision') === 'deny') return takeDenial(ctx, submission, deps);
  if (transaction.connectionCode === null) return takeCode(ctx, submission, deps);
  return takeDecision(ctx, submission, deps);
}

/** A registration can end while the page is open. */
async function checkStillRegistered(transaction: Transaction, findClient: FindClient): Promise<OAuthClient> {
  const { clientId, redirectUri } = transaction;
  const parameters = new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri });
  const client = await checkClient(parameters, findClient);
  checkRedirectUri(parameters, client.redirectUris);
  return client;
}

function cookieMissing(): PageError {
  return new PageError(400, {
    title: 'Cookies are needed',
    text: 'Your browser did not send the cookie of this page, so nothing was done.',
    advice: 'Allow cookies for this site, go back to your application, and start again.',
  });
}

function tooOld(): PageError {
  return new PageError(400, {
    title: 'This page is too old',
    text: 'It was open for too long, or was opened in another browser. Nothing was done.',
    advice: 'Go back to your application and start again.',
  });
}
