/** The stages of a call of a user, in order, and the record of it. */

import type { CallRecord } from '../../../base/store/repositories/call-records.ts';
import { timeOfId } from '../../../base/store/rows.ts';
import { LOOK_UP_TIMEOUT_MS, type LookupReader, lookUp } from '../approvals/look-up.ts';
import { isApprovalRequired } from '../approvals/policy.ts';
import { isHandWritten } from '../catalogue/permitted.ts';
import { isBatch } from './arguments.ts';
import { checkAccess, checkLimit, checkPartner, checkToolConsent, mayUse, openConnection } from './authorize.ts';
import { type CallOutcome, explainToMember, refuse } from './call-outcome.ts';
import type { AuthorizationDependencies, CallDependencies, Interceptor } from './dependencies.ts';
import { storeLargeFiles, withFileBlocks } from './file-blocks.ts';
import { createBatchKind } from './kinds/batch.ts';
import { FIND } from './kinds/find.ts';
import { HAND_WRITTEN } from './kinds/hand-written.ts';
import { REQUEST, useUpstream } from './kinds/request.ts';
import { BEGUN_WORK, continuesBegunWork, WAIT } from './kinds/wait.ts';
import { createRefusalCheck } from './refusal-check.ts';
import { runStages } from './run-stages.ts';
import {
  type AuthorizedCall,
  type Call,
  type CallRequest,
  createUseFor,
  isAuthorized,
  type Stage,
  type ToolKind,
} from './state.ts';

/** Stages which decide whether the user and the token may make the call. */
const ACCESS = [
  checkLimit, // too_many_calls
  checkPartner, // partner_suspended, not_offered
  checkAccess, // not_connected, not_allowed, insufficient_scope, writing_stopped
] as const;

/**
 * Returns the stages of a call of a tool of this kind. The first stage that refuses ends the call. Behind each are its main outcomes.
 *
 * Two things are asked of a user: whether a client may use a tool (tool consent, `needs_approval`), and whether it may make this call (approval,
 * `awaiting_approval`).
 */
function stagesOf({ prepare, run }: ToolKind): readonly Stage[] {
  return [
    ...ACCESS,
    requireToolConsent, // needs_approval: of the tool
    openConnection, // connection_needs_attention, credential_unreadable, credential_not_renewed, scope_not_granted
    prepare, // invalid_arguments, not_allowed
    claimIdempotencyKey, // the outcome of the first call, idempotency_key_reused, call_in_progress, outcome_unknown
    awaitApproval, // awaiting_approval, denied_by_user: of this exact call; needs_approval: of the tool and this exact call
    countByRules, // call_limit_reached
    ...run, // the result, or what the service answered
  ];
}

const REQUEST_STAGES = stagesOf(REQUEST);
const FIND_STAGES = stagesOf(FIND);
const WAIT_STAGES = stagesOf(WAIT);
const BEGUN_WORK_STAGES = stagesOf(BEGUN_WORK);
const HAND_WRITTEN_STAGES = stagesOf(HAND_WRITTEN);

/** Runs the stages of one call that is no batch, and nothing around them: no interceptor, no record, and a key that a stage claimed stays claimed. Never throws. */
export function runCall(call: Call, deps: CallDependencies): Promise<CallOutcome> {
  const { tool } = call.entry;
  if (isHandWritten(tool)) return runStages(HAND_WRITTEN_STAGES, call, deps);
  if (tool.wait !== undefined)
    return runStages(continuesBegunWork(call.context) ? BEGUN_WORK_STAGES : WAIT_STAGES, call, deps);
  return runStages(tool.find === undefined ? REQUEST_STAGES : FIND_STAGES, call, deps);
}

/**
 * Returns the refusal with which a call would end before its arguments are checked. Null if no stage refuses it. Sends nothing to the
 * service.
 */
export async function findRefusal(request: CallRequest, deps: AuthorizationDependencies): Promise<CallOutcome | null> {
  for (const stage of [...ACCESS, checkToolConsent, openConnection]) {
    const outcome = await stage(request, deps);
    if (outcome !== null) return outcome;
  }
  return null;
}

type MakeCall = (call: Call) => Promise<CallOutcome>;

/**
 * Creates a function that makes users' calls inside the interceptors. It records every call that the interceptors let through, and
 * never throws for one. A call that an interceptor ends has no record, and an error of an interceptor is thrown to the caller.
 */
export function createCallMaker(deps: CallDependencies): MakeCall {
  const confirmRefusal = createRefusalCheck(deps);
  const batchStages = stagesOf(createBatchKind((item) => call(item)));

  const runAndRecord = async (call: Call): Promise<CallOutcome> => {
    const started = performance.now();
    let outcome = await (isBatch(call.entry.tool, call.arguments)
      ? runStages(batchStages, call, deps)
      : runCall(call, deps));
    outcome = withFileBlocks(call, outcome);
    if (call.batch === undefined && isAuthorized(call)) {
      const confirmed = confirmRefusal(call, outcome);
      outcome = confirmed instanceof Promise ? await confirmed : confirmed;
      if (call.idempotencyKey !== null) await deps.once.settle(call, outcome);
      // A repeated call is answered from the stored outcome for a day, and a file handle ends earlier. So the file itself is stored.
      const outcomeWithHandle = storeLargeFiles(call, outcome, deps);
      if (outcomeWithHandle !== null) outcome = await outcomeWithHandle;
      if (outcome.outcome !== 'ok') await giveBackUnsent(call, outcome, deps);
    }
    if (outcome.outcome === 'ok') {
      const released = releaseUploads(call, deps);
      if (released !== null) await released;
    }
    if (call.share !== undefined) {
      const { connector } = call.entry;
      const { partnerName } = call.principal;
      outcome = explainToMember(outcome, { title: connector.title, account: call.account?.name ?? '', partnerName });
    }
    if (call.batch?.hasBegun !== true) await recordCall(call, outcome, performance.now() - started, deps);
    return outcome;
  };

  const call = wrapInInterceptors(deps.interceptors ?? [], runAndRecord);
  return call;
}

/** @param interceptors the first outermost. */
function wrapInInterceptors(interceptors: readonly Interceptor[], makeCall: MakeCall): MakeCall {
  return interceptors.reduceRight<MakeCall>(
    (next, interceptor) => (call) => interceptor(call, () => next(call)),
    makeCall,
  );
}

/**
 * Ends a call of a tool that its user has not allowed. If the call also needs an approval that is given on a page, it continues to
 * `awaitApproval`, which asks for both at once.
 */
function requireToolConsent(call: Call, deps: CallDependencies): null | CallOutcome | Promise<CallOutcome | null> {
  const refusal = checkToolConsent(call, deps);
  const end = (outcome: CallOutcome | null) => {
    if (outcome === null || !isAskedWithConsent(call, deps)) return outcome;
    call.consentRefusal = outcome;
    return null;
  };
  return refusal instanceof Promise ? refusal.then(end) : end(refusal);
}

function isAskedWithConsent({ principal, entry, partOf, context }: Call, { approvals }: CallDependencies): boolean {
  const isOfClient = principal.clientId !== null && principal.grantId !== null;
  if (approvals?.isOnPage !== true || !isOfClient || partOf !== undefined || continuesBegunWork(context)) return false;
  return isApprovalRequired(approvals.traits.get(entry.tool.name) ?? [], approvals.rule, principal.approvals);
}

/**
 * Claims the key of the call, or ends it with the key's stored outcome. Costs nothing without a key.
 *
 * The calls of a batch have their own keys. A call that only waits for work that was begun makes no request, so it claims no key, and
 * neither does one that waits for the consent to its tool.
 */
function claimIdempotencyKey(call: AuthorizedCall, { once }: CallDependencies): null | Promise<CallOutcome | null> {
  const { idempotencyKey, batch, context, consentRefusal } = call;
  if (idempotencyKey === null || batch !== undefined || consentRefusal !== undefined) return null;
  if (continuesBegunWork(context)) return null;
  return once.claim(call, idempotencyKey);
}

/**
 * Ends a call that needs an approval and has none yet. Other calls pass without a query. The stage comes after `claimIdempotencyKey`, so
 * that a call that was made once gives its answer again without another approval.
 */
function awaitApproval(call: AuthorizedCall, deps: CallDependencies): null | Promise<CallOutcome | null> {
  const { approvals } = deps;
  const traits = approvals?.traits.get(call.entry.tool.name);
  if (approvals === undefined || traits === undefined || continuesBegunWork(call.context)) return null;
  if (!isApprovalRequired(traits, approvals.rule, call.principal.approvals)) return null;
  if (!hasStoredToken(call.principal)) return Promise.resolve(neverApproved(call));
  const lookUpNames = () =>
    lookUp({ entry: call.entry, arguments: call.arguments, items: call.batch?.items }, createReader(call, deps));
  const { consentRefusal } = call;
  return consentRefusal === undefined
    ? approvals.require(call, lookUpNames)
    : approvals.requestWithConsent(call, consentRefusal, lookUpNames);
}

/** False for a caller whose token is a word, such as an operator who tries a tool: no approval can be kept for it. */
function hasStoredToken({ grantId, tokenId }: Call['principal']): boolean {
  return grantId !== null || timeOfId(tokenId) !== null;
}

function neverApproved({ entry: { connector, tool } }: Call): CallOutcome {
  return refuse('awaiting_approval', {
    message: `Nothing was sent to ${connector.title}: the user approves each call of ${tool.name}, and only a client of the user can ask for that.`,
    advice: 'Make the call from a client of the user.',
  });
}

/**
 * Creates the reader that looks things up for the approval of a call. It uses the connection of the call, and at most half of the time
 * that is left.
 */
function createReader(call: AuthorizedCall, deps: CallDependencies): LookupReader {
  const { catalogue, approvals, now } = deps;
  const deadline = now() + Math.min(LOOK_UP_TIMEOUT_MS, (call.deadline - now()) / 2);
  return {
    now,
    mayRead({ name, annotations }) {
      if (!annotations.readOnlyHint || catalogue.find(name) === undefined) return false;
      return !isApprovalRequired(approvals?.traits.get(name) ?? [], approvals?.rule, call.principal.approvals);
    },
    async mayClientRead({ name }) {
      const entry = catalogue.find(name);
      return entry !== undefined && mayUse({ principal: call.principal, entry }, deps);
    },
    async read(tool, args) {
      const { outcome, result } = await useUpstream({ ...createUseFor(call, tool, args), deadline }, deps);
      return { outcome, answer: result.structuredContent ?? null };
    },
  };
}

/** Counts a call by the rules that limit it. A batch itself is not counted, but each of its calls. */
function countByRules(call: AuthorizedCall, { callRules }: CallDependencies): null | Promise<CallOutcome | null> {
  if (callRules === undefined || call.batch !== undefined || continuesBegunWork(call.context)) return null;
  return callRules.count(call);
}

/** Gives back what a call that was never sent has used up: its approval, and its place in the counts of rules. */
async function giveBackUnsent(call: AuthorizedCall, outcome: CallOutcome, deps: CallDependencies): Promise<void> {
  const { approvals, callRules, onFault } = deps;
  try {
    await approvals?.giveBack(call);
    await callRules?.giveBack(call, outcome);
  } catch (error) {
    onFault({ kind: 'unexpected', tool: call.entry.tool.name, error });
  }
}

/**
 * Deletes the uploaded files that a call has used. Returns null if there are none.
 *
 * Those of a call with an idempotency key stay for their hour: a repetition names them again, and is compared with the first call. So do those of a
 * batch whose time was over before its last item.
 */
function releaseUploads(call: Call, { uploads, onFault }: CallDependencies): Promise<void> | null {
  const { principal, openedHandles = [], partOf, idempotencyKey, batch, entry } = call;
  if (uploads === undefined || openedHandles.length === 0 || partOf !== undefined) return null;
  if (idempotencyKey !== null || batch?.isFinished === false) return null;
  return uploads
    .release(principal, openedHandles)
    .catch((error: unknown) => onFault({ kind: 'unexpected', tool: entry.tool.name, error }));
}

/** Queues the call's record, and reports a connection whose credential was refused. @param durationMs of the call. */
async function recordCall(call: Call, outcome: CallOutcome, durationMs: number, deps: CallDependencies): Promise<void> {
  const { principal, entry, calledAs } = call;
  // A call that continues begun work has no record: the call that began the work has one.
  if (!continuesBegunWork(call.context)) {
    const record: CallRecord = {
      createdAt: call.startedAt,
      partnerId: principal.partnerId,
      userId: principal.userId,
      tokenId: principal.tokenId,
      grantId: principal.grantId,
      service: entry.connector.name,
      tool: calledAs,
      outcome: outcome.outcome,
      upstreamCode: outcome.error?.upstreamCode ?? outcome.invalid ?? null,
      upstreamStatus: outcome.upstreamStatus,
      durationMs,
      requestBytes: Buffer.byteLength(JSON.stringify(call.clientArguments)),
      responseBytes: outcome.resultBytes,
      requestId: call.trace.requestId,
      definition: entry.tool.provenance?.definition ?? null,
      approvedBy: call.approvedBy ?? null,
    };
    deps.record(call.account === undefined ? record : { ...record, connectionId: call.connectionId ?? null });
  }
  if (outcome.outcome === 'credential_refused' && isAuthorized(call)) await reportRefusal(call, deps);
}

async function reportRefusal(
  { principal, share, entry, connectionId, credentialSince: updatedAt }: AuthorizedCall,
  deps: CallDependencies,
): Promise<void> {
  const service = entry.connector.name;
  if (connectionId === undefined) return;
  const { partnerId } = principal;
  const { userId } = share?.owner ?? principal;
  try {
    await deps.onCredentialRefused?.({ connectionId, updatedAt, partnerId, userId, service });
  } catch (error) {
    deps.onFault({ kind: 'unexpected', tool: entry.tool.name, error });
  }
}
