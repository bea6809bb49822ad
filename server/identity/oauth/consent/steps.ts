/** The forms of the consent page: the connection code, then Allow or Deny, or the way to the user's own page. */

import { recordAnonymousEvent } from '../../../base/http/caller-limits.ts';
import type { ErrorCode } from '../../../base/http/error-codes.ts';
import { originOf } from '../../../base/http/request-origin.ts';
import type { GatewayContext } from '../../../base/http/state.ts';
import { PageError } from '../../../base/pages/page-errors.ts';
import { sendTo } from '../../../base/pages/redirect.ts';
import { emit } from '../../../base/store/events.ts';
import { countGuess, readGuesses, uncountGuess } from '../../../base/store/repositories/guess-counters.ts';
import { findClientGrant } from '../../../base/store/repositories/live-access.ts';
import { insertToolFacts } from '../../../base/store/repositories/tool-facts.ts';
import type { Executor } from '../../../base/store/schema.ts';
import {
  buildConsentOptions,
  type ConsentChoice,
  type ConsentOptions,
  readConsent,
} from '../../grants/allowed/consent-options.ts';
import { mintUserLink } from '../../partners/user-links.ts';
import { issueAuthorizationCode } from '../authorization-codes.ts';
import { redirectToClient } from '../authorize.ts';
import {
  type FoundConnectionCode,
  findConnectionCode,
  MAX_TYPED_LENGTH,
  normalizeConnectionCode,
} from '../connection-codes.ts';
import { CODE_PAGE_TTL_SECONDS, tryConnectionCode } from '../try-connection-code.ts';
import type { CodeProblem } from './code-page.ts';
import { HELD_GRANT_FIELD } from './consent-page.ts';
import type { ConsentContext, ConsentPageState, Submission } from './page-state.ts';

/** Takes the connection code. @returns the next step. */
export async function takeCode(
  ctx: GatewayContext,
  { form, pageState }: Submission,
  deps: ConsentContext,
): Promise<ConsentPageState> {
  const text = form.get('connection_code') ?? '';
  const refuse = (problem: CodeProblem) => ({ ...pageState, problem, typed: text.slice(0, MAX_TYPED_LENGTH) });
  if (text.trim() === '') return refuse('missing');
  const code = await tryConnectionCode(ctx.ip, { text, pageId: pageState.id }, deps);
  if (typeof code === 'string') return refuse(code);
  return { ...pageState, connectionCode: normalizeConnectionCode(text), problem: null, typed: '' };
}

/**
 * Takes Allow: consumes the connection code and sends the client an authorization code.
 *
 * @returns the step to show when nothing was granted: the first one when the connection code was used or has expired meanwhile, the same
 * one when the form left nothing to grant, the partner is suspended or the request was answered before; null when the client was answered.
 * @throws {PageError} 400 for a form that says neither Allow nor Deny, or a choice that was not offered.
 */
export async function takeDecision(
  ctx: GatewayContext,
  { form, pageState }: Submission,
  deps: ConsentContext,
): Promise<ConsentPageState | null> {
  if (form.get('decision') !== 'allow') throw undecided();
  const code = await findConnectionCode(deps.db, pageState.connectionCode ?? '', deps.now());
  if (code === undefined) return spent(pageState);
  if (code.partner.suspendedAt !== null) return pageState;

  const { options } = await consentOptionsFor(code, pageState, deps, form.get(HELD_GRANT_FIELD));
  const choice = readConsent(form, options);
  if (choice === null) throw undecided();
  if (choice === 'nothing') return { ...pageState, problem: 'nothing-left' };

  const granted = await grant(ctx, { pageState, code, choice }, deps);
  if (granted === 'answered') return pageState;
  if (granted === 'spent') return spent(pageState);
  const { redirectUri, state } = pageState;
  redirectToClient(ctx, { redirectUri, state, issuer: deps.issuer }, granted);
  return null;
}

/**
 * Returns the options of the user, and the grant of the same client that they compare with (`CONSENT=need`).
 *
 * @param shownGrant id of the grant that the page compared with, or null if it compared with none. A newer one is ignored, so that a form never keeps
 * more than its page said. Default: the newest.
 */
export async function consentOptionsFor(
  code: FoundConnectionCode,
  { clientId, scopes }: ConsentPageState,
  { db, catalogue, consent, now }: ConsentContext,
  shownGrant?: string | null,
): Promise<{ options: ConsentOptions; heldGrant: string | null }> {
  if (consent === 'all') return { options: buildConsentOptions(code, scopes, catalogue), heldGrant: null };
  const newest = await findClientGrant(db, { userId: code.userId, clientId, now: now() });
  const isShown = shownGrant === undefined || shownGrant === newest?.id;
  const earlierGrant = isShown && newest !== undefined ? newest : null;
  return {
    options: buildConsentOptions(code, scopes, catalogue, { earlierGrant }),
    heldGrant: earlierGrant?.id ?? null,
  };
}

/** Issues the authorization code. Returns `spent` or `answered` if a concurrent request consumed the connection code, or answered this request. */
async function grant(
  ctx: GatewayContext,
  { pageState, code, choice }: { pageState: ConsentPageState; code: FoundConnectionCode; choice: ConsentChoice },
  { db, now: clock, catalogue, maxGrantMs }: ConsentContext,
): Promise<{ code: string } | 'answered' | 'spent'> {
  const now = clock();
  return db.transaction().execute(async (transaction) => {
    if (!(await markAnswered(transaction, pageState, now))) return 'answered';
    const authorizationCode = await issueAuthorizationCode(transaction, {
      request: pageState,
      userId: code.userId,
      access: { ...choice, permission: { ...choice.permission, seen: catalogue.facts.hash } },
      connectionCodeText: pageState.connectionCode ?? '',
      maxGrantMs,
      now,
      origin: originOf(ctx),
    });
    if (authorizationCode === undefined) {
      await uncountGuess(transaction, answeredKey(pageState));
      return 'spent';
    }
    await insertToolFacts(transaction, { ...catalogue.facts, now });
    return { code: authorizationCode };
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
  { pageState }: Submission,
  deps: ConsentContext,
): Promise<ConsentPageState | null> {
  const { clientId, redirectUri, state, connectionCode } = pageState;
  const now = deps.now();
  const code = connectionCode === null ? undefined : await findConnectionCode(deps.db, connectionCode, now);
  if (code !== undefined && !(await markAnswered(deps.db, pageState, now))) return pageState;
  const event = { type: 'consent_denied', now, ...originOf(ctx) } as const;
  if (code === undefined) await recordAnonymousEvent(deps.db, event);
  else await emit(deps.db, { ...event, clientId, partnerId: code.partner.id, userId: code.userId });
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

/**
 * Sends the browser to the user's own page, authorized by the typed code, which stays unused: a user who goes back can still allow.
 *
 * @returns the step to show when the code was used or has expired meanwhile, or the partner is suspended; else null.
 */
export async function goToOwnPage(
  ctx: GatewayContext,
  { pageState }: Submission,
  deps: ConsentContext,
): Promise<ConsentPageState | null> {
  const now = deps.now();
  const code = await findConnectionCode(deps.db, pageState.connectionCode ?? '', now);
  if (code === undefined) return spent(pageState);
  if (code.partner.suspendedAt !== null) return pageState;
  const user = { id: code.userId, partnerId: code.partner.id };
  const change = { by: 'connection-code', now, ...originOf(ctx) } as const;
  sendTo(ctx, await deps.db.transaction().execute((transaction) => mintUserLink(transaction, user, change)));
  return null;
}

/** The first step again, because the connection code was used or has expired meanwhile. */
export function spent(pageState: ConsentPageState): ConsentPageState {
  return { ...pageState, connectionCode: null, problem: 'spent' };
}

/** Remembers that a request was answered, so that Back after Allow or Deny shows that instead of the question. */
function answeredKey({ id }: ConsentPageState): string {
  return `consent:answered:${id}`;
}

/** @returns false when it was marked before: exactly one of several callers gets true. */
async function markAnswered(executor: Executor, pageState: ConsentPageState, now: number): Promise<boolean> {
  return (await countGuess(executor, answeredKey(pageState), { windowMs: CODE_PAGE_TTL_SECONDS * 1000, now })) === 1;
}

export async function isAnswered(executor: Executor, pageState: ConsentPageState, now: number): Promise<boolean> {
  return (await readGuesses(executor, answeredKey(pageState), now)) > 0;
}
