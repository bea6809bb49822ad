/** First step: takes the connection code, and shows what it would grant. */

import { originOf } from '../../http/request-origin.ts';
import type { GatewayContext } from '../../http/state.ts';
import { recordAuditEvent } from '../../store/repositories/audit-events.ts';
import { findConnectionCode, normalizeConnectionCode } from '../connection-codes.ts';
import { type CodeProblem, showCodePage } from './code-page.ts';
import { showConsentPage } from './consent-page.ts';
import { beginGuess, settleGuess } from './guesses.ts';
import type { ConsentDependencies, Submission } from './submission.ts';

/** Takes the code. The answer to a wrong one is the same whether it exists, existed, or never did. */
export async function takeCode(ctx: GatewayContext, submission: Submission, deps: ConsentDependencies): Promise<void> {
  const { pageState, client, sealed } = submission;
  const now = deps.now();
  const typed = submission.form.get('connection_code') ?? '';
  const { redirectUri } = pageState;
  const refuse = (problem: CodeProblem) => showCodePage(ctx, { client, redirectUri, sealed, problem, typed });

  if (typed.trim() === '') return refuse('missing');

  const source = { pageId: pageState.id, address: ctx.ip };
  const verdict = await beginGuess(deps.db, source, now);
  if (verdict !== 'allowed') return refuse(`too-many-of-${verdict}`);

  const connectionCode = normalizeConnectionCode(typed);
  const found = connectionCode === null ? undefined : await findConnectionCode(deps.db, connectionCode, now);
  await settleGuess(deps.db, source, { isRight: found !== undefined, now });
  if (found === undefined) {
    const { clientId } = client;
    await recordAuditEvent(deps.db, { type: 'connection_code_refused', now, clientId, ...originOf(ctx) });
    return refuse('wrong');
  }
  const next = { ...pageState, connectionCode };
  showConsentPage(ctx, { client, found, pageState: next, sealed: deps.sealedForm.seal(ctx, next) }, deps);
}
