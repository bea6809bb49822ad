/** Handles the forms of the connect page: typed credentials, a redirect to the upstream's sign-in, a skip, or a refusal. */

import { kindsOf, oauth2PartOf } from '../../base/credentials/kinds.ts';
import type { GatewayContext } from '../../base/http/state.ts';
import { pageTooOld } from '../../base/pages/sealed-form.ts';
import type { CredentialKind } from '../../contract/index.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { signInAtUpstream } from '../oauth/begin.ts';
import { showConnectPage } from '../page/connect-page.ts';
import type { ConnectProblem } from '../page/problems.ts';
import { refusePartner, toConnectPage } from '../response.ts';
import { complete, decline, skip } from '../visit/complete.ts';
import type { ConnectVisit } from '../visit/index.ts';
import { resumeVisit } from '../visit/resume.ts';
import { readFields } from './read-fields.ts';
import { tryCredential } from './try-credential.ts';

/**
 * Handles a form, and answers with the page again, the next page, the upstream's sign-in, or the partner's answer.
 *
 * @param service the one in the path; null: the page of a connect session.
 * @throws {PageError} 400 for forms that are too old, or of another browser or service, and as `SealedForm.read`.
 */
export async function continueConnect(
  ctx: GatewayContext,
  service: string | null,
  deps: ConnectDependencies,
): Promise<void> {
  const sent = await deps.sealedForm.read(ctx);
  if (sent.refusal !== null) throw sent.refusal;
  const { form, sealed, pageState } = sent;
  if ('sessionId' in pageState ? service !== null : pageState.service !== service) throw pageTooOld();
  const visit = await resumeVisit(ctx, pageState, deps);
  if ('refusal' in visit) return refusePartner(ctx, visit, visit.refusal);
  if (visit.request.connector.name !== pageState.service) return toConnectPage(ctx);

  const decision = form.get('decision');
  if (decision === 'decline') return decline(ctx, visit, deps);
  if (decision === 'skip' && visit.session !== null) return skip(ctx, visit.session, pageState.service, deps);
  const kindIndex = Number(form.get('kind') ?? 0);
  const kind = kindsOf(visit.request.connector.credential)[kindIndex];
  if (kind === undefined) throw pageTooOld();
  const again = (problem: ConnectProblem) => showConnectPage(ctx, visit, { sealed, problem, kindIndex });
  const typed = readFields(form, kind);
  if ('kind' in typed) return again(typed);
  await takeCredential(ctx, { visit, kind, kindIndex, fields: typed.fields, again }, deps);
}

/** A valid form. */
interface FilledForm {
  readonly visit: ConnectVisit;
  readonly kind: CredentialKind;
  readonly kindIndex: number;
  /** Null for an open service. */
  readonly fields: Readonly<Record<string, string>> | null;
  again(problem: ConnectProblem): void;
}

async function takeCredential(ctx: GatewayContext, form: FilledForm, deps: ConnectDependencies): Promise<void> {
  const { visit, kind, kindIndex, fields, again } = form;
  if (fields === null) return complete(ctx, visit, null, deps);
  const part = oauth2PartOf(kind);
  const signedIn =
    part === undefined ? { fields } : await signInAtUpstream(ctx, { visit, part, kindIndex, fields }, deps);
  if (signedIn === null) return;
  if ('kind' in signedIn) return again(signedIn);
  const problem = await tryCredential(ctx, visit, signedIn.fields, deps);
  if (problem !== null) return again(problem);
  await complete(ctx, visit, signedIn.fields, deps);
}
