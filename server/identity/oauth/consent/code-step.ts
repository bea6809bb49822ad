/** First step: takes the connection code. */

import { recordAnonymousEvent } from '../../../base/http/limits/anonymous-event.ts';
import type { GatewayContext } from '../../../base/http/state.ts';
import { findConnectionCode, normalizeConnectionCode } from '../connection-codes.ts';
import { type CodeProblem, MAX_TYPED_LENGTH } from './code-page.ts';
import { beginGuess, settleGuess } from './guesses.ts';
import type { ConsentPageState } from './page-state.ts';
import type { ConsentDependencies, Submission } from './submission.ts';

/** Takes the code. A wrong one gets the same answer whether it exists, existed or never did. @returns the next step. */
export async function takeCode(
  ctx: GatewayContext,
  submission: Submission,
  deps: ConsentDependencies,
): Promise<ConsentPageState> {
  const { pageState } = submission;
  const now = deps.now();
  const typed = submission.form.get('connection_code') ?? '';
  const refuse = (problem: CodeProblem) => ({ ...pageState, problem, typed: typed.slice(0, MAX_TYPED_LENGTH) });

  if (typed.trim() === '') return refuse('missing');

  const source = { pageId: pageState.id, address: ctx.ip };
  const verdict = await beginGuess(deps.db, source, now);
  if (verdict !== 'allowed') return refuse(`too-many-of-${verdict}`);

  const connectionCode = normalizeConnectionCode(typed);
  const found = connectionCode === null ? undefined : await findConnectionCode(deps.db, connectionCode, now);
  await settleGuess(deps.db, source, { isRight: found !== undefined, now });
  if (found === undefined) {
    await recordAnonymousEvent(deps.db, { type: 'connection_code_refused', now, address: ctx.ip });
    return refuse('wrong');
  }
  return { ...pageState, connectionCode, problem: null, typed: '' };
}
