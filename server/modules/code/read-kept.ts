/** The tool `read_kept`: selects from a result that was too large, with the arguments of list tools and without a program. */

import type { WorkBudget } from '../../base/limits/work-budget.ts';
import { StoredValueBusyError } from '../../base/long-values.ts';
import { ThreadJobError } from '../../base/threads/thread-pool.ts';
import type { CodeTool } from '../../call/tools/call/dependencies.ts';
import type { CompleteToolResult } from '../../call/tools/provider.ts';
import type { Core } from '../../module.ts';
import { budgetUsed, busy, failureResult, RESULT_NOT_FOUND, resultBusyFailure } from './messages.ts';
import type { SelectionInput, SelectionOutput } from './read-kept-job.ts';
import { type ResultParts, toResult } from './run-code.ts';

const JOB = new URL('./read-kept-job.ts', import.meta.url);

interface Parts extends ResultParts {
  readonly budget: WorkBudget;
  readonly threads: Core['threads'];
}

/**
 * Creates the call. `SealedCache.read` checks that the handle belongs to the caller. A thread reads the result, because a program chose its
 * size.
 */
export function createReadKept(parts: Parts): CodeTool['run'] & {} {
  return async (principal, { handle, ...args }, { signal }) => {
    const waitSeconds = parts.budget.waitSeconds(principal.userId);
    if (waitSeconds !== undefined) return failureResult(budgetUsed(waitSeconds));
    let output: SelectionOutput;
    try {
      const storedValue = await parts.storedValues.read(principal, String(handle));
      if (storedValue === undefined || !('result' in storedValue)) return failureResult(RESULT_NOT_FOUND);
      const input: SelectionInput = { json: storedValue.result, args };
      output = (await parts.threads.run({ file: JOB, userId: principal.userId, input, signal })) as SelectionOutput;
    } catch (error) {
      return explainNoOutput(error);
    }
    if ('refused' in output) return failureResult({ code: 'invalid_arguments', message: output.refused });
    const result = await toResult(parts, principal, output.json);
    if (output.note === null) return result;
    return { ...result, content: [...result.content, { type: 'text', text: output.note }] };
  };
}

/** Returns the result that explains an error of the job. @throws the error if it has no explanation for clients. */
function explainNoOutput(error: unknown): CompleteToolResult {
  if (error instanceof StoredValueBusyError) return failureResult(resultBusyFailure(error));
  if (!(error instanceof ThreadJobError) || error.reason === 'failed') throw error;
  switch (error.reason) {
    case 'busy':
      return busy();
    case 'cancelled':
      return failureResult({ code: 'cancelled', message: 'The call was cancelled.' });
    default:
      return failureResult({
        code: 'result_too_large',
        message: 'The result has too many values to select from. Run the program again, and return less.',
      });
  }
}
