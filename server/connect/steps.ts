/** The steps of a visit: the page is shown, its form is sent, and an upstream's sign-in comes back. */

import { kindsOf, oauth2PartOf } from '../base/credentials/kinds.ts';
import type { GatewayContext } from '../base/http/state.ts';
import { pageTooOld } from '../base/pages/sealed-form.ts';
import type { CredentialKind } from '../contract/index.ts';
import { refusePartner, toConnectPage } from './answer.ts';
import { complete, decline, skip } from './complete.ts';
import type { ConnectContext } from './context.ts';
import { type CredentialValues, readFields } from './credential-forms.ts';
import { showConnectPage } from './page.ts';
import type { ConnectProblem } from './problems.ts';
import { enterSession } from './session.ts';
import { tryCredential } from './try-credential.ts';
import { finishSignIn, signInAtUpstream } from './upstream-sign-in.ts';
import {
  type ConnectVisit,
  type FoundVisit,
  findPlainVisit,
  findSessionVisit,
  resumeVisit,
  toPageState,
} from './visit.ts';

/** Shows the page of a plain link. @throws {PageError} as `checkConnectRequest`. */
export async function showPlain(ctx: GatewayContext, service: string, deps: ConnectContext): Promise<void> {
  showFirst(ctx, await findPlainVisit(service, new URLSearchParams(ctx.querystring), deps), deps);
}

/** Removes the token from the address, or shows where the session stands. Consumes nothing. @throws {PageError} 400. */
export async function showSession(ctx: GatewayContext, deps: ConnectContext): Promise<void> {
  const query = new URLSearchParams(ctx.querystring);
  const token = query.get('token');
  if (token !== null) return enterSession(ctx, { token, origin: query.get('origin') }, deps);
  showFirst(ctx, await findSessionVisit(ctx, query.get('session') ?? '', deps), deps);
}

function showFirst(ctx: GatewayContext, visit: FoundVisit, { sealedForm }: ConnectContext): void {
  if ('refusal' in visit) refusePartner(ctx, visit, visit.refusal);
  else showConnectPage(ctx, visit, { sealed: sealedForm.seal(ctx, toPageState(visit)) });
}

/**
 * Handles a form: typed credentials, a redirect to the upstream's sign-in, a skip, or a refusal. Answers with the page again, the next
 * page, the upstream's sign-in, or the partner's answer.
 *
 * @param service the one in the path; null: the page of a connect session.
 * @throws {PageError} 400 for forms that are too old, or of another browser or service, and as `SealedForm.read`.
 */
export async function takeForm(ctx: GatewayContext, service: string | null, deps: ConnectContext): Promise<void> {
  const sent = await deps.sealedForm.read(ctx);
  if (sent.refusal !== null) throw sent.refusal;
  const { form, sealed, pageState } = sent;
  if ('sessionId' in pageState ? service !== null : pageState.service !== service) throw pageTooOld();
  const visit = await resumeVisit(ctx, pageState, deps);
  if ('refusal' in visit) return refusePartner(ctx, visit, visit.refusal);
  if (visit.request.connector.name !== pageState.service) return toNextPage(ctx, visit);

  const decision = form.get('decision');
  if (decision === 'decline') return decline(ctx, visit, deps);
  if (decision === 'skip' && visit.session !== null) return skip(ctx, visit.session, pageState.service, deps);
  const kindIndex = Number(form.get('kind') ?? 0);
  const kind = kindsOf(visit.request.connector.credential)[kindIndex];
  if (kind === undefined) throw pageTooOld();
  const typed = readFields(form, kind);
  const problem = 'kind' in typed ? typed : await takeCredential(ctx, visit, { kind, kindIndex, ...typed }, deps);
  if (problem !== null) showConnectPage(ctx, visit, { sealed, problem, kindIndex });
}

/** After a form of a service that the session has completed since. */
function toNextPage(ctx: GatewayContext, { session }: ConnectVisit): void {
  if (session === null) throw pageTooOld();
  toConnectPage(ctx, session.row.id);
}

/** @returns null when the request was answered. */
async function takeCredential(
  ctx: GatewayContext,
  visit: ConnectVisit,
  { kind, kindIndex, fields }: { kind: CredentialKind; kindIndex: number; fields: CredentialValues },
  deps: ConnectContext,
): Promise<ConnectProblem | null> {
  const part = oauth2PartOf(kind);
  if (fields === null) await complete(ctx, visit, null, deps);
  else if (part === undefined) return keepCredential(ctx, visit, { fields }, deps);
  else {
    const signedIn = await signInAtUpstream(ctx, { visit, part, kindIndex, fields }, deps);
    if (signedIn !== null) return keepCredential(ctx, visit, signedIn, deps);
  }
  return null;
}

/** Stores a credential that the upstream accepts, and continues. @returns null when the request was answered. */
async function keepCredential(
  ctx: GatewayContext,
  visit: ConnectVisit,
  credential: { readonly fields: Readonly<Record<string, string>> } | ConnectProblem,
  deps: ConnectContext,
): Promise<ConnectProblem | null> {
  if ('kind' in credential) return credential;
  const problem = await tryCredential(ctx, visit, credential.fields, deps);
  if (problem === null) await complete(ctx, visit, credential.fields, deps);
  return problem;
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
  if (connector.name !== service) return toNextPage(ctx, visit);
  const kind = kindsOf(connector.credential)[kindIndex];
  const part = kind && oauth2PartOf(kind);
  if (part === undefined) throw pageTooOld();

  const signedIn = await finishSignIn(ctx, { visit, part, pending, answer }, deps);
  const problem = await keepCredential(ctx, visit, signedIn, deps);
  if (problem === null) return;
  showConnectPage(ctx, visit, { sealed: deps.sealedForm.seal(ctx, toPageState(visit)), problem, kindIndex });
}
