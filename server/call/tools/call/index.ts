/** The stages of a tool call, in order. */

import type { HandWrittenTool, Tool } from '../../../contract/index.ts';
import { type AnyTool, isHandWritten } from '../catalogue/hand-written.ts';
import type { Call, CallDependencies, Interceptor, Stage, UpstreamDependencies, UpstreamUse } from './call.ts';
import { checkAccess } from './check-access.ts';
import { checkApproval } from './check-approval.ts';
import { checkArguments } from './check-arguments.ts';
import { checkLimit } from './check-limit.ts';
import { checkPartner } from './check-partner.ts';
import { type Ending, refuse } from './ending.ts';
import { openConnection } from './open-connection.ts';
import { recordCall } from './record-call.ts';
import { createRefusalCheck } from './refused/confirm-refusal.ts';
import { repeatRefused } from './refused/repeat-refused.ts';
import { createRunTool } from './run-tool.ts';
import { sendRequest } from './send-request.ts';
import { shapeResult } from './shape-result.ts';
import { takeKey } from './take-key.ts';

/** From valid arguments to a result. */
const SENDING: readonly Stage<UpstreamUse, UpstreamDependencies>[] = [sendRequest, repeatRefused, shapeResult];

/** From arguments to a result, with an opened credential. */
const UPSTREAM_STAGES: readonly Stage<UpstreamUse, UpstreamDependencies>[] = [checkArguments, ...SENDING];

/** Checks that the user and the token may make the call, and opens the connection. */
const RIGHTS: readonly Stage<Call, CallDependencies>[] = [
  checkLimit,
  checkPartner,
  checkAccess,
  checkApproval,
  openConnection,
];

/** A user's call. Settling its key and `recordCall` follow in any case. */
const STAGES: readonly Stage<Call<Tool>, CallDependencies>[] = [...RIGHTS, checkArguments, takeKey, ...SENDING];

/** The same for a hand-written tool. */
const HAND_WRITTEN_STAGES: readonly Stage<Call<HandWrittenTool>, CallDependencies>[] = [
  ...RIGHTS,
  checkArguments,
  takeKey,
  createRunTool(useUpstream),
];

/** Makes only the upstream part of a call, for example to verify a credential. Never throws: a failure is an ending. */
export function useUpstream(use: UpstreamUse, deps: UpstreamDependencies): Promise<Ending> {
  return pass(UPSTREAM_STAGES, use, deps);
}

/** Creates a function that makes users' calls inside the interceptors. It never throws, and records every call. */
export function createCallMaker(deps: CallDependencies): (call: Call) => Promise<Ending> {
  const confirmRefusal = createRefusalCheck(deps, useUpstream);
  const whole = async (call: Call): Promise<Ending> => {
    const started = performance.now();
    const passed = await (isOfHandWritten(call)
      ? pass(HAND_WRITTEN_STAGES, call, deps)
      : pass(STAGES, call as Call<Tool>, deps));
    const confirmed = confirmRefusal(call, passed);
    const ending = confirmed instanceof Promise ? await confirmed : confirmed;
    if (call.idempotencyKey !== null) await deps.once.settle(call, ending);
    await recordCall(call, ending, performance.now() - started, deps);
    return ending;
  };
  const { interceptors = [], modules = [] } = deps;
  const inModules = (call: Call) => {
    const around = modules.flatMap(({ interceptor }) => interceptor ?? []);
    return around.length === 0 ? whole(call) : within(around, whole)(call);
  };
  return within(interceptors, inModules);
}

type MakeCall = (call: Call) => Promise<Ending>;

/** @param interceptors the first outermost. */
function within(interceptors: readonly Interceptor[], make: MakeCall): MakeCall {
  return interceptors.reduceRight<MakeCall>((next, interceptor) => (call) => interceptor(call, () => next(call)), make);
}

function isOfHandWritten(call: Call): call is Call<HandWrittenTool> {
  return isHandWritten(call.entry.tool);
}

async function pass<C extends UpstreamUse<AnyTool>, D extends UpstreamDependencies>(
  stages: readonly Stage<C, D>[],
  call: C,
  deps: D,
): Promise<Ending> {
  const { tool } = call.entry;
  const aroundStage = deps.aroundStages?.() ?? null;
  try {
    for (const stage of stages) {
      const said = aroundStage === null ? stage(call, deps) : aroundStage(stage.name, () => stage(call, deps));
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
