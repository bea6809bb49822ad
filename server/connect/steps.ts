/** The steps of a visit: the page is shown, its form is sent, and an upstream's sign-in comes back. */

import { formsOf, oauth2PartOf } from '../base/credentials/kinds.ts';
import type { GatewayContext } from '../base/http/state.ts';
import { pageTooOld } from '../base/pages/sealed-form.ts';
import type { CredentialKind } from '../contract/index.ts';
import { chooseAccount, chooseAccountToExtend, readChoice } from './account.ts';
import { showAccountPage } from './account-page.ts';
import { refusePartner, toConnectPage } from './answer.ts';
import { complete, continueVisit, decline, showVisit, skip, storeUndecided } from './complete.ts';
import type { ConnectContext, ConnectPageState } from './context.ts';
import { type CredentialValues, readFields } from './credential-forms.ts';
import { showConnectPage } from './page.ts';
import type { ConnectProblem } from './problems.ts';
import { enterSession } from './session.ts';
import { tryCredential } from './try-credential.ts';
import { finishSignIn, signInAtUpstream } from './upstream-sign-in.ts';
import {
  accountsOf,
  type ConnectVisit,
  findFramedVisit,
  findPlainVisit,
  findSessionVisit,
  resumeVisit,
  toPageState,
} from './visit.ts';

/** Shows the page of a plain link. @throws {PageError} as `checkConnectRequest`. */
export async function showPlain(ctx: GatewayContext, service: string, deps: ConnectContext): Promise<void> {
  showVisit(ctx, await findPlainVisit(service, new URLSearchParams(ctx.querystring), deps), deps);
}

/**
 * Removes the token from the address, or shows where the session stands; in a frame, shows the page at once, because a frame has no
 * cookie. Consumes nothing.
 *
 * @throws {PageError} 400.
 */
export async function showSession(ctx: GatewayContext, deps: ConnectContext): Promise<void> {
  const query = new URLSearchParams(ctx.querystring);
  const token = query.get('token');
  const frame = query.get('frame');
  if (token !== null && frame !== null) {
    return showVisit(ctx, await findFramedVisit(ctx, { token, origin: frame }, deps), deps);
  }
  if (token !== null) return enterSession(ctx, { token, origin: query.get('origin') }, deps);
  showVisit(ctx, await findSessionVisit(ctx, query.get('session') ?? '', deps), deps);
}

/**
 * Handles a form: typed credentials, a redirect to the upstream's sign-in, a skip, or a refusal. Answers with the page again, the next page, the
 * upstream's sign-in, or the partner's answer.
 *
 * @param service the service in the path, or null on the page of a connect session.
 * @throws {PageError} 400 for forms that are too old, or of another browser or service, and as `SealedForm.read`.
 */
export async function takeForm(ctx: GatewayContext, service: string | null, deps: ConnectContext): Promise<void> {
  const submission = await deps.sealedForm.read(ctx);
  if (submission.refusal !== null) throw submission.refusal;
  const { form, sealed, pageState } = submission;
  if ('sessionId' in pageState ? service !== null : pageState.service !== service) throw pageTooOld();
  const visit = await resumeVisit(ctx, pageState, deps);
  if ('refusal' in visit) return refusePartner(ctx, visit, visit.refusal);
  const decision = form.get('decision');
  if (decision === 'continue' && visit.session !== null) return continueVisit(ctx, visit, visit.session, deps);
  if (visit.request.connector.name !== pageState.service) return toNextPage(ctx, visit, deps);

  if (decision === 'decline') return decline(ctx, visit, deps, pageState.attempt);
  const { attempt } = pageState;
  if (attempt !== undefined)
    return takeAccount(ctx, visit, { form, sealed, pageState: { ...pageState, attempt } }, deps);
  if (decision === 'skip' && visit.session !== null) return skip(ctx, visit, visit.session, deps);
  const kindIndex = Number(form.get('kind') ?? 0);
  const kind = formsOf(visit.request.connector.credential)[kindIndex];
  if (kind === undefined) throw pageTooOld();
  const typed = readFields(form, kind, visit);
  const problem = 'kind' in typed ? typed : await takeCredential(ctx, visit, { kind, kindIndex, ...typed }, deps);
  if (problem !== null) showConnectPage(ctx, visit, { sealed, problem, kindIndex });
}

/** After a form of a service that the session has completed since. */
function toNextPage(ctx: GatewayContext, visit: ConnectVisit, deps: ConnectContext): void {
  const { session } = visit;
  if (session === null) throw pageTooOld();
  if (session.frame === null) toConnectPage(ctx, session.row.id);
  else showVisit(ctx, visit, deps);
}

type ConnectForm = CredentialKind & { readonly isExtra?: true };

/** @returns null when the request was answered. */
async function takeCredential(
  ctx: GatewayContext,
  visit: ConnectVisit,
  { kind, kindIndex, fields }: { kind: ConnectForm; kindIndex: number; fields: CredentialValues },
  deps: ConnectContext,
): Promise<ConnectProblem | null> {
  const part = oauth2PartOf(kind);
  if (fields === null) await complete(ctx, visit, { credential: { fields }, account: null }, deps);
  else if (part === undefined) return storeCredential(ctx, visit, { fields, form: kind }, deps);
  else {
    const signedIn = await signInAtUpstream(ctx, { visit, kind, part, kindIndex, fields }, deps);
    if (signedIn !== null)
      return storeCredential(ctx, visit, 'kind' in signedIn ? signedIn : { ...signedIn, form: kind }, deps);
  }
  return null;
}

/** Stores a credential that the upstream accepts, and continues. @returns null when the request was answered. */
async function storeCredential(
  ctx: GatewayContext,
  visit: ConnectVisit,
  credentialOrProblem:
    | { readonly fields: Readonly<Record<string, string>>; readonly form: ConnectForm }
    | ConnectProblem,
  deps: ConnectContext,
): Promise<ConnectProblem | null> {
  if ('kind' in credentialOrProblem) return credentialOrProblem;
  const { form, ...credential } = credentialOrProblem;
  if (form.isExtra === true) {
    const extended = await chooseAccountToExtend(visit, deps);
    if (extended === null) return { kind: 'not-extended' };
    const { account, stored } = extended;
    const { verify } = form;
    const tried = { fields: { ...stored, ...credential.fields }, verify };
    const problem = verify === undefined ? null : await tryCredential(ctx, visit, tried, deps);
    if (problem !== null && problem.kind !== 'unsendable') return problem;
    await complete(ctx, visit, { credential, account }, deps);
    return null;
  }
  const problem = await tryCredential(ctx, visit, credential, deps);
  if (problem !== null) return problem;
  const chosen = await chooseAccount(visit, credential.fields, deps);
  if ('account' in chosen) {
    await complete(ctx, visit, { credential, account: chosen.account }, deps);
    return null;
  }
  const attempt = await storeUndecided(ctx, visit, { credential, account: null }, deps);
  const pageState = { ...toPageState(visit), attempt, verified: chosen.verified };
  showAccountPage(ctx, visit, { ...chosen, sealed: deps.sealedForm.seal(ctx, pageState) });
  return null;
}

interface SubmittedChoice {
  readonly form: URLSearchParams;
  readonly sealed: string;
  readonly pageState: ConnectPageState & { readonly attempt: string };
}

/** Takes the person's choice of an account for the credential that waits for it. */
async function takeAccount(
  ctx: GatewayContext,
  visit: ConnectVisit,
  { form, pageState, sealed }: SubmittedChoice,
  deps: ConnectContext,
): Promise<void> {
  const { attempt, verified = null } = pageState;
  const accounts = await accountsOf(visit.request, deps);
  const account = readChoice(form, accounts, { isPlain: visit.session === null, identity: verified?.identity ?? null });
  if (typeof account !== 'string') return complete(ctx, visit, { credential: { undecided: attempt }, account }, deps);
  const typed = form.get('account_name') ?? '';
  showAccountPage(ctx, visit, { accounts, verified, sealed, problem: account, typed });
}

/**
 * Takes the answer of an upstream's sign-in, and stores the tokens as the page stores a key.
 *
 * An error is shown on the page, where the person can try again or go back to the partner.
 *
 * @param service the one in the path: only answers to its own requests are accepted (RFC 9700 §4.4.2.2).
 * @throws {PageError} 400 for a `state` that is too old, or of another browser or service.
 */
export async function takeSignIn(ctx: GatewayContext, service: string, deps: ConnectContext): Promise<void> {
  const answer = new URLSearchParams(ctx.querystring);
  const pending = deps.pendingSignIn.open(ctx, answer.get('state') ?? '');
  const { page, kindIndex } = pending;
  if (page.service !== service) throw pageTooOld();
  const visit = await resumeVisit(ctx, page, deps);
  if ('refusal' in visit) return refusePartner(ctx, visit, visit.refusal);
  const { connector } = visit.request;
  if (connector.name !== service) return toNextPage(ctx, visit, deps);
  const kind = formsOf(connector.credential)[kindIndex];
  const part = kind && oauth2PartOf(kind);
  if (kind === undefined || part === undefined) throw pageTooOld();

  const signedIn = await finishSignIn(ctx, { visit, kind, part, pending, answer }, deps);
  const problem = await storeCredential(ctx, visit, 'kind' in signedIn ? signedIn : { ...signedIn, form: kind }, deps);
  if (problem === null) return;
  showConnectPage(ctx, visit, { sealed: deps.sealedForm.seal(ctx, toPageState(visit)), problem, kindIndex });
}
