/** What an outcome means for someone who counts calls: answered, waiting for its user, or failed. */

import { OUTCOMES, type Outcome, remedyOf } from '../../call/tools/results/outcomes.ts';

export type OutcomeCategory = 'ok' | 'waiting' | 'failed';

/** A call that waits for the approval or the consent of its user has not failed. */
export function categoryOf(outcome: Outcome): OutcomeCategory {
  if (outcome === 'ok') return 'ok';
  const remedy = remedyOf(outcome);
  return remedy === 'approve' || remedy === 'allow' ? 'waiting' : 'failed';
}

/** The outcomes of calls that wait for their user. */
export const WAITING_OUTCOMES: readonly Outcome[] = OUTCOMES.filter((outcome) => categoryOf(outcome) === 'waiting');
