/** Second step: takes Allow or Deny, and sends the browser back to the client. */

import type { ErrorCode } from '../../../base/http/error-codes.ts';
import { recordAnonymousEvent } from '../../../base/http/limits/anonymous-event.ts';
import { originOf } from '../../../base/http/request-origin.ts';
import type { GatewayContext } from '../../../base/http/state.ts';
import { PageError } from '../../../base/pages/page-errors.ts';
import { recordAuditEvent } from '../../../base/store/repositories/audit-events.ts';
import { insertToolFacts } from '../../../base/store/repositories/tool-facts.ts';
import { issueAuthorizationCode } from '../authorization-codes.ts';
import { redirectToClient } from '../authorize.ts';
import { type FoundConnectionCode, findConnectionCode } from '../connection-codes.ts';
import { markAnswered, unmarkAnswered } from './answered.ts';
import { buildOffer, type Consented, readChoice } from './offer.ts';
import type { ConsentPageState } from './page-state.ts';
import type { ConsentDependencies, Submission } from './submission.ts';

/**
 * Takes Allow: consumes the connection code and sends the client an authorization code.
 *
 * @returns the step to show when nothing was granted: the first one when the connection code was used or has expired meanwhile, the same
 * one when the form left nothing to grant, the partner is suspended or the request was answered before. Null: the client was answered.
 * @throws {PageError} 400 for a form that says neither Allow nor Deny, or a choice that was not offered.
 */
export async function takeDecision(
  ctx: GatewayContext,
  { form, pageState }: Submission,
  deps: ConsentDependencies,
): Promise<ConsentPageState | null> {
  if (form.get('decision') !== 'allow') throw undecided();
  const found = await findConnectionCode(deps.db, pageState.connectionCode ?? '', deps.now());
  const spent: ConsentPageState = { ...pageState, connectionCode: null, problem: 'spent' };
  if (found === undefined) return spent;
  if (found.isSuspended) return pageState;

  const choice = readChoice(form, buildOffer(found, pageState.scopes, deps.catalogue));
  if (choice === null) throw undecided();
  if (choice === 'nothing') return { ...pageState, problem: 'nothing-left' };

  const granted = await grant(ctx, { pageState, found, choice }, deps);
  if (granted === 'answered') return pageState;
  if (granted === 'spent') return spent;
  const { redirectUri, state } = pageState;
  redirectToClient(ctx, { redirectUri, state, issuer: deps.issuer }, granted);
  return null;
}

/** @returns what to answer; or that a concurrent request consumed the connection code, or answered this request. */
async function grant(
  ctx: GatewayContext,
  { pageState, found, choice }: { pageState: ConsentPageState; found: FoundConnectionCode; choice: Consented },
  { db, now: clock, catalogue, maxGrantMs }: ConsentDependencies,
): Promise<{ code: string } | 'answered' | 'spent'> {
  const { clientId, redirectUri, codeChallenge, resource } = pageState;
  const now = clock();
  return db.transaction().execute(async (transaction) => {
    if (!(await markAnswered(transaction, pageState, now))) return 'answered';
    const code = await issueAuthorizationCode(transaction, {
      clientId,
      userId: found.userId,
      scopes: choice.scopes,
      services: choice.services,
      permission: { ...choice.permission, seen: catalogue.facts.hash },
      resource,
      redirectUri,
      codeChallenge,
      connectionCodeText: pageState.connectionCode ?? '',
      maxGrantMs,
      now,
      origin: originOf(ctx),
    });
    if (code === undefined) {
      await unmarkAnswered(transaction, pageState);
      return 'spent';
    }
    await insertToolFacts(transaction, { ...catalogue.facts, now });
    return { code };
  });
}

/**
 * Takes Deny and Cancel: informs the client, and leaves the connection code unused.
 *
 * The request is marked as answered only for someone with a connection code; otherwise anyone could fill the store with marks.
 *
 * @returns as `takeDecision`.
 */
export async function takeDenial(
  ctx: GatewayContext,
  submission: Submission,
  deps: ConsentDependencies,
): Promise<ConsentPageState | null> {
  const { pageState } = submission;
  const { clientId, redirectUri, state, connectionCode } = pageState;
  const now = deps.now();
  const found = connectionCode === null ? undefined : await findConnectionCode(deps.db, connectionCode, now);
  if (found !== undefined && !(await markAnswered(deps.db, pageState, now))) return pageState;
  const event = { type: 'consent_denied', now, ...originOf(ctx) } as const;
  if (found === undefined) await recordAnonymousEvent(deps.db, event);
  else await recordAuditEvent(deps.db, { ...event, clientId, partnerId: found.partnerId, userId: found.userId });
  redirectToClient(
    ctx,
    { redirectUri, state, issuer: deps.issuer },
    { error: 'access_denied' satisfies ErrorCode, error_description: 'The user denied the request.' },
  );
  return null;
}

function undecided(): PageError {
  return new PageError(400, {
    title: 'Nothing was decided',
    text: 'The form that was sent says neither Allow nor Deny.',
    advice: 'Go back to your application and start again.',
  });
}
