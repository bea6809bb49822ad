/** Runs the stages of a call. */

import { type CallOutcome, refuse } from './call-outcome.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import type { AuthorizedUse, Call, Stage } from './state.ts';

/** Passes stages until one ends the call. Never throws: an error is a fault, and the outcome `internal_error`. */
export async function runStages(
  stages: readonly Stage[],
  call: Call | AuthorizedUse,
  deps: UpstreamDependencies,
): Promise<CallOutcome> {
  const { tool } = call.entry;
  const aroundStage = deps.aroundStages?.() ?? null;
  try {
    for (const stage of stages) {
      const stageEnd =
        aroundStage === null
          ? stage(call as never, deps as never)
          : aroundStage(stage.name, () => stage(call as never, deps as never));
      const end = stageEnd instanceof Promise ? await stageEnd : stageEnd;
      if (end !== null && 'outcome' in end) return end;
    }
    throw new Error('the last stage ends every call');
  } catch (error) {
    deps.onFault({ kind: 'unexpected', tool: tool.name, error });
    const message = 'The gateway failed to make this call.';
    return refuse('internal_error', { message, repeatable: tool.annotations.readOnlyHint });
  }
}
