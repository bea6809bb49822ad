/** The stages of a tool call, in order. */

import type { HandWrittenTool, Tool } from '../../../contract/index.ts';
import { LOOK_UP_TIMEOUT_MS, lookUp, type ThingReader } from '../approvals/look-up.ts';
import { isNamed } from '../approvals/policy.ts';
import { type AnyTool, isHandWritten } from '../catalogue/permitted.ts';
import { checkArguments, isBatch, openFiles } from './arguments.ts';
import { confirmCount, createRunBatch, readBatch } from './batch.ts';
import {
  type Call,
  type CallDependencies,
  createUseFor,
  type Interceptor,
  type RightsDependencies,
  type Stage,
  type UpstreamDependencies,
  type UpstreamUse,
} from './call.ts';
import { type CallOutcome, refuse } from './call-outcome.ts';
import { checkAccess, checkLimit, checkPartner, checkToolConsent, openConnection } from './checks.ts';
import { findItems } from './find.ts';
import { followPages } from './pages.ts';
import { createRunTool } from './run-tool.ts';
import { createRefusalCheck, readLargeAnswer, repeatRefused, sendRequest, takeTurnToRead } from './sending.ts';
import { keepLargeFile, readAnswer as readAnswerHere, shapeResult } from './shape-result.ts';
import { createAwaitEnd } from './wait.ts';

/** From valid arguments to a result. */
const SENDING: readonly Stage<UpstreamUse, UpstreamDependencies>[] = [
  sendRequest,
  repeatRefused,
  readAnswer,
  followPages,
  shapeResult,
];

/** From arguments to a result, with an opened credential. */
const UPSTREAM_STAGES: readonly Stage<UpstreamUse, UpstreamDependencies>[] = [checkArguments, ...SENDING];

/** Checks that the user and the token may make the call, and opens the connection. */
const RIGHTS: readonly Stage<Call, RightsDependencies>[] = [
  checkLimit,
  checkPartner,
  checkAccess,
  checkToolConsent,
  openConnection,
];

/** A user's call. Settling its key and `recordCall` follow in any case. */
const STAGES: readonly Stage<Call<Tool>, CallDependencies>[] = [
  ...RIGHTS,
  checkArguments,
  takeKey,
  awaitApproval,
  ...SENDING,
];

/** The same for a tool that finds items of a list. */
const FINDING_STAGES: readonly Stage<Call<Tool>, CallDependencies>[] = [
  ...RIGHTS,
  checkArguments,
  takeKey,
  awaitApproval,
  findItems,
];

/** The same for a tool that begins work and waits for its end. */
const WAITING_STAGES: readonly Stage<Call<Tool>, CallDependencies>[] = [
  ...STAGES.filter((stage) => stage !== followPages && stage !== shapeResult).map((stage) =>
    stage === readAnswer ? readAnswerHere : stage,
  ),
  createAwaitEnd(useUpstream),
];

/** The same for one whose work an earlier call has begun: it only waits. */
const RESUMED_STAGES: readonly Stage<Call<Tool>, CallDependencies>[] = [
  ...RIGHTS,
  checkArguments,
  createAwaitEnd(useUpstream),
];

/** The same for a hand-written tool. */
const HAND_WRITTEN_STAGES: readonly Stage<Call<HandWrittenTool>, CallDependencies>[] = [
  ...RIGHTS,
  checkArguments,
  takeKey,
  awaitApproval,
  createRunTool(useUpstream),
];

/** The lists above for tools that take files, which handles can name. */
const FILE_STAGES = new Map(
  [STAGES, WAITING_STAGES, HAND_WRITTEN_STAGES].map((stages) => [stages, withFiles(stages as readonly AnyStage[])]),
);

/** The stages of a batch, before the calls that it makes, which pass all others. */
const BATCH_STAGES: readonly Stage<Call<Tool>, CallDependencies>[] = [
  ...RIGHTS,
  readBatch,
  awaitApproval,
  confirmCount,
];

/** Makes only the upstream part of a call, for example to verify a credential. Never throws: a failure is an ending. */
export function useUpstream(use: UpstreamUse, deps: UpstreamDependencies): Promise<CallOutcome> {
  return pass(UPSTREAM_STAGES, use, deps);
}

/** How a call would end before its arguments are checked; null: it would not. Sends nothing. */
export async function findRefusal(call: Call, deps: RightsDependencies): Promise<CallOutcome | null> {
  for (const stage of RIGHTS) {
    const ending = await stage(call, deps);
    if (ending !== null) return ending;
  }
  return null;
}

/** Passes the stages of one call, which is no batch, and nothing around them: no interceptor, no record, no key. Never throws. */
export function passStages(call: Call, deps: CallDependencies): Promise<CallOutcome> {
  return pass(stagesOf(call), call, deps);
}

/** Creates a function that makes users' calls inside the interceptors. It never throws, and records every call. */
export function createCallMaker(deps: CallDependencies): (call: Call) => Promise<CallOutcome> {
  const confirmRefusal = createRefusalCheck(deps, useUpstream);
  const batchStages = [...BATCH_STAGES, createRunBatch((call) => make(call))];
  const whole = async (call: Call): Promise<CallOutcome> => {
    const started = performance.now();
    if (isBatch(call)) {
      const ending = await pass(batchStages, call as Call<Tool>, deps);
      if (call.batch?.hasBegun !== true) await recordCall(call, ending, performance.now() - started, deps);
      return ending;
    }
    const passed = await passStages(call, deps);
    const confirmed = confirmRefusal(call, passed);
    const made = confirmed instanceof Promise ? await confirmed : confirmed;
    if (call.idempotencyKey !== null) await deps.once.settle(call, made);
    // What was made once is answered again after the file is gone.
    const kept = keepLargeFile(call, made, deps);
    const ending = kept === null ? made : await kept;
    if (ending.outcome !== 'ok') await giveBackApproval(call, deps);
    await recordCall(call, ending, performance.now() - started, deps);
    return ending;
  };
  const { interceptors = [], modules = [], endedCalls } = deps;
  let inModules: MakeCall | undefined;
  const make = within(interceptors, (call) => {
    // All modules are open once there is a call.
    inModules ??= within(
      [...modules.flatMap(({ interceptor }) => interceptor ?? []), ...(endedCalls?.interceptors() ?? [])],
      whole,
    );
    return inModules(call);
  });
  return make;
}

/** A stage of a call whose tool it fits. */
type AnyStage = Stage<Call, CallDependencies>;

function stagesOf({ entry: { tool, takesFiles }, context }: Call): readonly AnyStage[] {
  let stages: typeof STAGES | typeof HAND_WRITTEN_STAGES = STAGES;
  if (isHandWritten(tool)) stages = HAND_WRITTEN_STAGES;
  else if (tool.wait !== undefined) stages = isResumed(context) ? RESUMED_STAGES : WAITING_STAGES;
  else if (tool.find !== undefined) stages = FINDING_STAGES;
  return (takesFiles ? FILE_STAGES.get(stages) : undefined) ?? (stages as readonly AnyStage[]);
}

function withFiles(stages: readonly AnyStage[]): readonly AnyStage[] {
  return [...RIGHTS, openFiles, ...stages.slice(RIGHTS.length)];
}

/** Whether an earlier call, which is recorded, has begun the work. */
function isResumed({ work }: Call['context']): boolean {
  return work !== undefined && work.begun !== null;
}

type MakeCall = (call: Call) => Promise<CallOutcome>;

/** @param interceptors the first outermost. */
function within(interceptors: readonly Interceptor[], make: MakeCall): MakeCall {
  return interceptors.reduceRight<MakeCall>((next, interceptor) => (call) => interceptor(call, () => next(call)), make);
}

async function pass<C extends UpstreamUse<AnyTool>, D extends UpstreamDependencies>(
  stages: readonly Stage<C, D>[],
  call: C,
  deps: D,
): Promise<CallOutcome> {
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

/** Reads the answer; ends the call if it reports an error. Another thread reads a large answer, and ends the call. */
function readAnswer(call: UpstreamUse, deps: UpstreamDependencies): CallOutcome | null | Promise<CallOutcome | null> {
  const inThread = readLargeAnswer(call, deps);
  if (inThread !== null) return inThread;
  const turn = takeTurnToRead(call, deps);
  return turn === null ? readAnswerHere(call, deps) : turn.then(() => readAnswerHere(call, deps));
}

/** Takes the key of the call, or ends it with the key's stored outcome. Costs nothing without a key. */
function takeKey(call: Call, { once }: CallDependencies): null | Promise<CallOutcome | null> {
  return call.idempotencyKey === null ? null : once.take(call, call.idempotencyKey);
}

/**
 * Ends a call that a rule wants approved until it is. Costs nothing for other calls. It follows the key, so that a call that was made once
 * gives its answer again without another approval.
 */
function awaitApproval(call: Call, deps: CallDependencies): null | Promise<CallOutcome | null> {
  const { approvals } = deps;
  const traits = approvals?.traits.get(call.entry.tool.name);
  if (approvals === undefined || traits === undefined) return null;
  if (!isNamed(traits, approvals.rule, call.principal.approvals)) return null;
  return approvals.require(call, () =>
    lookUp({ entry: call.entry, arguments: call.arguments, items: call.batch?.items }, createReader(call, deps)),
  );
}

/** Creates what reads things for the approval of a call, with its connection and for at most half of its time. */
function createReader(call: Call, deps: CallDependencies): ThingReader {
  const { catalogue, approvals, now } = deps;
  const deadline = now() + Math.min(LOOK_UP_TIMEOUT_MS, (call.deadline - now()) / 2);
  return {
    now,
    mayRead({ name, annotations }) {
      if (!annotations.readOnlyHint || catalogue.find(name) === undefined) return false;
      return !isNamed(approvals?.traits.get(name) ?? [], approvals?.rule, call.principal.approvals);
    },
    async mayClientRead({ name }) {
      const entry = catalogue.find(name);
      if (entry === undefined) return false;
      const reading = { ...call, entry };
      return (checkAccess(reading, deps) ?? (await checkToolConsent(reading, deps))) === null;
    },
    async read(tool, args) {
      const { outcome, result } = await useUpstream({ ...createUseFor(call, tool, args), deadline }, deps);
      return { outcome, answer: result.structuredContent ?? null };
    },
  };
}

/** An approval is for a call that is made: one that was never sent has not used it. */
async function giveBackApproval(call: Call, { approvals, onFault }: CallDependencies): Promise<void> {
  try {
    await approvals?.giveBack(call);
  } catch (error) {
    onFault({ kind: 'unexpected', tool: call.entry.tool.name, error });
  }
}

/** Queues the call's record, and reports a connection whose credential was refused. @param durationMs of the call. */
async function recordCall(call: Call, ending: CallOutcome, durationMs: number, deps: CallDependencies): Promise<void> {
  const { principal, entry, calledAs } = call;
  const record = isResumed(call.context) ? () => {} : deps.record;
  record({
    createdAt: call.startedAt,
    partnerId: principal.partnerId,
    userId: principal.userId,
    tokenId: principal.tokenId,
    grantId: principal.grantId,
    service: entry.connector.name,
    tool: calledAs,
    outcome: ending.outcome,
    upstreamCode: ending.error?.upstreamCode ?? ending.invalid ?? null,
    upstreamStatus: ending.upstreamStatus,
    durationMs,
    requestBytes: Buffer.byteLength(JSON.stringify(call.given)),
    responseBytes: ending.resultBytes,
    requestId: call.trace.requestId,
    definition: entry.tool.provenance?.definition ?? null,
    ...(call.account === undefined ? {} : { connectionId: call.connectionId ?? null }),
    approvedBy: call.approvedBy ?? null,
  });
  if (ending.outcome === 'credential_refused') await reportRefusal(call, deps);
}

async function reportRefusal(
  { principal, entry, connectionId, credentialSince: updatedAt }: Call,
  deps: CallDependencies,
): Promise<void> {
  const service = entry.connector.name;
  if (connectionId === undefined) return;
  const { partnerId, userId } = principal;
  try {
    await deps.onCredentialRefused?.({ connectionId, updatedAt, partnerId, userId, service });
  } catch (error) {
    deps.onFault({ kind: 'unexpected', tool: entry.tool.name, error });
  }
}
