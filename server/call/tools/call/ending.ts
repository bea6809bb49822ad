/** How a call ends: with a result, or with an error as a result. */

import { NOTHING_TO_REDACT, type Redactor } from '../../upstream/index.ts';
import type { CompleteToolResult } from '../provider.ts';
import { type ExplainedError, explain, type FailureFacts, type ToolError, toErrorResult } from '../results/errors.ts';
import type { FailedOutcome } from '../results/outcomes.ts';
import { redacted } from '../results/redact-value.ts';

interface EndingFacts {
  readonly result: CompleteToolResult;
  /** HTTP status of the upstream's answer, or null when there was none. */
  readonly upstreamStatus: number | null;
  /** Bytes of the result's texts and data. */
  readonly resultBytes: number;
}

/** The end of a call. */
export type Ending =
  | (EndingFacts & { readonly outcome: 'ok'; readonly error: null })
  | (EndingFacts & { readonly outcome: FailedOutcome; readonly error: ToolError });

/**
 * Ends a call that failed.
 *
 * @param redactor redacts quoted upstream text again, because cleaning may join the parts of a credential.
 */
export function failed(explained: ExplainedError, redactor: Redactor = NOTHING_TO_REDACT): Ending {
  const error = redacted(explained.error, redactor) as ToolError;
  const result = toErrorResult({ ...explained, error });
  const resultBytes = Buffer.byteLength(JSON.stringify(result.content));
  return { result, outcome: error.code, error, upstreamStatus: error.status, resultBytes };
}

/** Ends a call that failed, from its outcome. */
export function refuse(outcome: FailedOutcome, facts: FailureFacts): Ending {
  return failed(explain(outcome, facts));
}
