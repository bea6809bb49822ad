/** One tool call: the stages that it passes, in their order. */

import type { Call, CallDependencies, Stage, UpstreamDependencies, UpstreamUse } from './call.ts';
import { checkAccess } from './check-access.ts';
import { checkApproval } from './check-approval.ts';
import { checkArguments } from './check-arguments.ts';
import { checkLimit } from './check-limit.ts';
import { checkPartner } from './check-partner.ts';
import { createRefusalCheck } from './confirm-refusal.ts';
import { type Ending, refuse } from './ending.ts';
import { openConnection } from './open-connection.ts';
import { recordCall } from './record-call.ts';
import { repeatRefused } from './repeat-refused.ts';
import { sendRequest } from './send-request.ts';
import { shapeResult } from './shape-result.ts';

/** With a credential in hand: from arguments to a result. */
const UPSTREAM_STAGES: readonly Stage<UpstreamUse, UpstreamDependencies>[] = [
  checkArguments,
  sendRequest,
  repeatRefused,
  shapeResult,
];

/** A user's call. `recordCall` follows, however it ended. */
const STAGES: readonly Stage<Call, CallDependencies>[] = [
  checkLimit,
  checkPartner,
  checkAccess,
  checkApproval,
  openConnection,
  ...UPSTREAM_STAGES,
];

/** Makes the upstream part of a call alone, such as to try a credential. Whatever goes wrong is an ending. */
export function useUpstream(use: UpstreamUse, deps: UpstreamDependencies): Promise<Ending> {
  return pass(UPSTREAM_STAGES, use, deps);
}

/** Creates what makes users' calls, inside the interceptors. Whatever goes wrong is an ending, and every call is recorded. */
export function createCallMaker(deps: CallDependencies): (call: Call) => Promise<Ending> {
  const confirmRefusal = createRefusalCheck(deps, useUpstream);
  const whole = async (call: Call): Promise<Ending> => {
    const started = performance.now();
    const passed = await pass(STAGES, call, deps);
    const confirmed = confirmRefusal(call, passed);
    const ending = confirmed instanceof Promise ? await confirmed : confirmed;
    await recordCall(call, ending, performance.now() - started, deps);
    return ending;
  };
  return (deps.interceptors ?? []).reduceRight<(call: Call) => Promise<Ending>>(
    (next, interceptor) => (call) => interceptor(call, () => next(call)),
    whole,
  );
}

async function pass<C extends UpstreamUse, D extends UpstreamDependencies>(
  stages: readonly Stage<C, D>[],
  call: C,
  deps: D,
): Promise<Ending> {
  const { tool } = call.entry;
  try {
    for (const stage of stages) {
      const said = stage(call, deps);
      const ending = said instanceof Promise ? await said : said;
      if (ending !== null) return ending;
    }
    throw new Error('the last stage ends every call');
  } catch (error) {
    deps.onFault({ kind: 'unexpected', tool: tool.name, error });
    const message = 'The gateway failed to make this call.';
    return refuse('internal_error', { message, repeatable: tool.annotations.readOnlyHint });
  }
}
