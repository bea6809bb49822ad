/** The stages `sendRequest` and `repeatRefused`: one request to the upstream, and another one after a refused credential was renewed. */

import { randomUUID } from 'node:crypto';
import type { SlotOutcome } from '../../../base/limits/upstream-slots.ts';
import { withTimeout } from '../../../base/with-timeout.ts';
import type { Caps, Connector } from '../../../contract/index.ts';
import {
  CannotSendError,
  type McpProblem,
  type PreparedRequest,
  UnusableCredentialError,
  type UpstreamAnswer,
  UpstreamFailure,
  type UpstreamFailureKind,
} from '../../upstream/index.ts';
import type { Renewal } from '../../upstream/oauth/renewal.ts';
import { findBrokenPin } from '../catalogue/permitted.ts';
import { decodeErrorBody } from '../results/decode.ts';
import { cleanText, type ExplainedError, explain, redacted } from '../results/errors.ts';
import { DEFINITION_CHANGED, explainMcpProblem } from '../results/mcp-problems.ts';
import { type CalledTool, explainFailure, refusesCredential } from '../results/upstream-errors.ts';
import { withhold } from '../results/withheld.ts';
import type { Validator } from '../validate.ts';
import { describeBrokenRule } from './argument-errors.ts';
import { type CallOutcome, failed, needsAttention, refuse, unreadableCredential } from './call-outcome.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import type { PreparedUse, SentUse, UsedCredential } from './state.ts';

/** Failures that are not reported per call: the client caused them, or the log has them once for all affected calls. */
const UNREPORTED: ReadonlySet<UpstreamFailureKind> = new Set(['cancelled', 'circuit_open']);

/** Sends the request. Arguments that no request can carry are rejected before sending. */
export async function sendRequest(call: PreparedUse, deps: UpstreamDependencies): Promise<CallOutcome | SentUse> {
  const { entry, arguments: args, credential: fields, signal, deadline } = call;
  const { connector, tool } = entry;
  if (tool.idempotency !== undefined) call.seed ??= randomUUID();
  let request: PreparedRequest;
  try {
    request = deps.upstream.prepare({ connector, tool, args, fields, seed: call.seed, raw: call.raw });
  } catch (error) {
    return explainUnsent(call, error, deps);
  }
  const broken = findBrokenPin(tool, call.pins, request.outgoing);
  if (broken !== null) {
    return refuse('not_allowed', { message: `The request would not hold the value that is fixed for "${broken}".` });
  }
  call.redactor = request.credential.redactor;
  let slot: SlotOutcome | null = null;
  try {
    deps.upstream.check({ service: connector.name, origin: request.outgoing.origin });
    const pendingSlot = takeUpstreamSlot(call, deps);
    slot = pendingSlot instanceof Promise ? await pendingSlot : pendingSlot;
    if (slot !== null && slot.kind !== 'taken') return refuseWithoutSlot(call.entry.connector, slot);
    const onSending = () => {
      call.mayHaveActed = true;
    };
    const timeoutMs = Math.max(0, deadline - deps.now());
    const { connectionId } = call;
    const onProgress = createProgressReport(call);
    const answer = await deps.upstream.send(request, {
      signal,
      connectionId,
      timeoutMs,
      onSending,
      onProgress,
      answers: call.answers,
    });
    if (answer.mcp !== undefined) {
      const problem = readMcpProblem(call, answer, deps);
      if (problem !== null) return problem;
    }
    const visibleAnswer = tool.result?.withhold === undefined ? answer : await withholdMembers(call, answer, deps);
    if ('error' in visibleAnswer) return failed(visibleAnswer);
    return Object.assign(call, { answer: visibleAnswer });
  } catch (error) {
    if (error instanceof CannotSendError) return explainUnsent(call, error, deps);
    if (!(error instanceof UpstreamFailure)) throw error;
    if (!UNREPORTED.has(error.kind)) deps.onFault({ kind: 'upstream_failure', tool: tool.name, error });
    return failed(explainFailure({ connector, tool, args }, error, deps.timeoutMs));
  } finally {
    if (slot?.kind === 'taken') slot.end();
    if (!tool.annotations.readOnlyHint) deps.readLists?.forget(call.connectionId);
  }
}

/** Passes on the progress that an MCP server reports. Undefined if the client does not ask for it. */
function createProgressReport({ progress, redactor }: PreparedUse): ((message: string) => void) | undefined {
  if (progress === undefined || progress === null) return undefined;
  return (message) => {
    progress.message = cleanText(redactor.text(message));
  };
}

const OF_DEFINITION: ReadonlySet<McpProblem> = new Set(['definition_changed', 'tool_gone', 'list_unreadable']);

/** Ends a call that has no result at an MCP server, and reports a tool that the server has changed. Null if there is a result. */
function readMcpProblem(call: PreparedUse, answer: UpstreamAnswer, deps: UpstreamDependencies): CallOutcome | null {
  const { entry, arguments: args, redactor } = call;
  const { connector, tool } = entry;
  const { problem, isChanged } = answer.mcp ?? {};
  if (isChanged === true || (problem !== undefined && OF_DEFINITION.has(problem))) {
    deps.onDrift?.(connector, tool, [DEFINITION_CHANGED]);
    deps.onFault({ kind: 'definition_changed', tool: tool.name });
  }
  if (problem === undefined) return null;
  const body = decodeErrorBody(answer.body, answer.header('content-type'), redactor);
  const outcome = failed(explainMcpProblem({ connector, tool, args }, problem, body), redactor);
  if (problem !== 'asks_user') return outcome;
  // A server of 2026 that asks waits for the answer before it acts (MCP 2026-07-28, Multi Round-Trip Requests). One of 2025 may have acted, but the call
  // cannot go on there: it is made again with the answer.
  call.mayHaveActed = false;
  const { questions } = answer.mcp ?? {};
  // A question may quote members that the tool withholds.
  if (questions === undefined || tool.result?.withhold !== undefined) return outcome;
  const requests = redacted(questions.requests, redactor) as typeof questions.requests;
  return { ...outcome, questions: { ...questions, requests } };
}

/** Answers from this size on are read in another thread, in bytes: parsing and shaping one takes about 20 ms. */
const LARGE_BYTES = 256 * 1024;
/** Items are tested and compared one by one, which takes several times as long. */
const LARGE_BYTES_OF_SELECTION = 64 * 1024;

/** Answers from this size on are read one in each turn of the event loop: several may arrive at once. */
const MEDIUM_BYTES = 32 * 1024;

/** True if reading an answer would stop other calls for too long. */
export function isLargeAnswer({ selection }: PreparedUse, { body }: UpstreamAnswer): boolean {
  return body.byteLength >= (selection == null ? LARGE_BYTES : LARGE_BYTES_OF_SELECTION);
}

/** Waits until the event loop has time for an answer of medium size. Costs nothing for others. */
export function takeLoopTurnToRead(call: SentUse, { largeAnswers }: UpstreamDependencies): null | Promise<void> {
  const isMedium = call.answer.body.byteLength >= MEDIUM_BYTES;
  return isMedium && largeAnswers !== undefined ? largeAnswers.takeLoopTurn(call) : null;
}

/** Ends a call with a large answer. Costs nothing for others. */
export function readLargeAnswer(call: SentUse, deps: UpstreamDependencies): null | Promise<CallOutcome> {
  if (deps.largeAnswers === undefined || !isLargeAnswer(call, call.answer)) return null;
  return deps.largeAnswers.read(call, deps);
}

/** The answer without the members that never leave. */
function withholdMembers(
  call: PreparedUse,
  answer: UpstreamAnswer,
  { largeAnswers }: UpstreamDependencies,
): UpstreamAnswer | ExplainedError | Promise<UpstreamAnswer | ExplainedError> {
  const { connector, tool } = call.entry;
  const called = { connector, tool, args: call.arguments };
  if (largeAnswers === undefined || answer.body.byteLength < LARGE_BYTES_OF_SELECTION) return withhold(called, answer);
  return largeAnswers.withhold(call, called, answer);
}

function explainUnsent(call: PreparedUse, error: unknown, deps: UpstreamDependencies): CallOutcome {
  if (error instanceof UnusableCredentialError) return unreadableCredential(call.entry, error, deps.onFault);
  if (!(error instanceof CannotSendError)) throw error;
  const { entry, arguments: args } = call;
  const { connector, tool } = entry;
  return failed(explainUnsendable({ connector, tool, args }, error, deps.validators(tool.inputSchema)));
}

/** The share of the time that is left which is reserved for the request; a call waits for its slot until then. */
const REQUEST_SHARE = 0.25;

/** Waits for a slot of the upstream. Null, at no cost, if there is no cap. */
function takeUpstreamSlot(
  { entry: { connector }, connectionId, signal, deadline }: PreparedUse,
  { upstreamSlots, now }: UpstreamDependencies,
): SlotOutcome | Promise<SlotOutcome> | null {
  const { caps } = connector;
  if (caps === undefined || upstreamSlots === undefined || connectionId === undefined) return null;
  return upstreamSlots.take({
    connectionId,
    caps,
    signal,
    startBy: deadline - (deadline - now()) * REQUEST_SHARE,
    endBy: deadline,
  });
}

/** Ends a call that got no slot. */
export function refuseWithoutSlot(
  connector: Connector,
  slot: Exclude<SlotOutcome, { readonly kind: 'taken' }>,
): CallOutcome {
  if (slot.kind === 'cancelled') return refuse('cancelled', { message: 'The call was cancelled.' });
  const seconds = slot.retryAfterSeconds;
  if (slot.cap === 'uncounted') {
    return refuse('no_free_turn', {
      message: `${connector.title} limits the number of calls, and the gateway cannot count them now.`,
      advice: `Nothing was sent. Wait ${seconds} seconds, then call again.`,
      retryAfterSeconds: seconds,
    });
  }
  return refuse('no_free_turn', {
    message: `${connector.title} takes ${describeCap(connector.caps ?? {}, slot.cap)} from one connected account, and this call waited too long behind others.`,
    advice: `Nothing was sent. Wait ${seconds} second${seconds === 1 ? '' : 's'}, then call again, with fewer calls at once.`,
    retryAfterSeconds: seconds,
  });
}

function describeCap({ concurrency, rate }: Caps, cap: 'concurrency' | 'rate'): string {
  if (cap === 'concurrency' && concurrency !== undefined) {
    return `${concurrency} call${concurrency === 1 ? '' : 's'} at the same time`;
  }
  return `${rate?.requests} calls in ${rate?.seconds === 1 ? 'a second' : `${rate?.seconds} seconds`}`;
}

/** Sends the request, and again if it was refused: the stages `sendRequest` and `repeatRefused`, for a part of a call. */
export async function request(call: PreparedUse, deps: UpstreamDependencies): Promise<CallOutcome | SentUse> {
  const sentUse = await sendRequest(call, deps);
  return 'outcome' in sentUse ? sentUse : repeatRefused(sentUse, deps);
}

/** Explains a call that failed before anything was sent, with an example if one argument is the cause. */
export function explainUnsendable(
  { tool, args }: CalledTool,
  { argument, message: text }: CannotSendError,
  validator: Validator,
): ExplainedError {
  if (argument !== null) {
    return explain('invalid_arguments', { message: describeBrokenRule(tool, args, { argument, text }, validator) });
  }
  const message = `The arguments of ${tool.name} cannot be sent. ${text}`;
  return explain('invalid_arguments', { message, advice: 'Correct the arguments, then call again.' });
}

/** Statuses with which services refuse the value of an argument. */
const REFUSES_FILTER: ReadonlySet<number> = new Set([400, 404, 422]);

/**
 * Renews the token and repeats the request. With status 401, this includes writes, because the upstream has not
 * processed the request. If only the body says that the credential was refused, a write is not repeated, unless the
 * upstream recognises repeated requests.
 *
 * A request that is refused with filters that the gateway added for `where` is repeated without them.
 */
export async function repeatRefused(call: SentUse, deps: UpstreamDependencies): Promise<CallOutcome | SentUse> {
  const { answer, renew, credential, entry, redactor, filtered } = call;
  if (filtered != null && REFUSES_FILTER.has(answer.status)) {
    call.arguments = filtered.without;
    call.filtered = null;
    return request(call, deps);
  }
  if (renew === null) return call;
  const { connector, tool } = entry;
  const { status } = answer;
  const mayRefuse = status === 401 || connector.errors.invalidCredential.some((rule) => rule.status === status);
  if (!mayRefuse) return call;
  const body = decodeErrorBody(answer.body, answer.header('content-type'), redactor);
  if (!refusesCredential(connector.errors, status, body)) return call;
  if (status === 401) call.mayHaveActed = false;
  const outcome = await renewCredential(call, renew(), deps.now());
  if (outcome !== null) return outcome;
  call.renew = null;
  if (call.credential === credential) return call;
  const isSafe = tool.annotations.idempotentHint || tool.idempotency !== undefined;
  if (status === 401 || isSafe) return sendRequest(call, deps);
  return refuse('refused_once', {
    message: `${connector.title} refused the access token of this connection, which the gateway has replaced.`,
    status,
  });
}

/**
 * Waits for a renewal until the call's deadline, and sets the call's credential. Other calls wait for the same renewal, so it continues if this call
 * ends.
 *
 * @param now milliseconds since 1970.
 * @returns the outcome of the call if there is no token, or null if the call continues with the current credential.
 */
export async function renewCredential(
  call: RenewableUse,
  renewal: Promise<Renewal>,
  now: number,
): Promise<CallOutcome | null> {
  const { title } = call.entry.connector;
  const { signal, deadline } = call;
  const stop = () =>
    signal.aborted
      ? ({ kind: 'cancelled' } as const)
      : ({ kind: 'delayed', retryAfterSeconds: 1, byOperator: false } as const);
  const outcome = await withTimeout(renewal, Math.max(0, deadline - now), stop, signal);
  switch (outcome.kind) {
    case 'renewed':
      call.credential = outcome.fields;
      call.credentialSince = outcome.updatedAt;
      return null;
    case 'recent':
      return null;
    case 'cancelled':
      return refuse('cancelled', { message: 'The call was cancelled.' });
    case 'attention':
      return needsAttention(title);
    case 'removed':
      return refuse('not_connected', { message: `${title} is not connected for this user any more.` });
    case 'delayed': {
      const { retryAfterSeconds: seconds, byOperator } = outcome;
      const operatorHint = byOperator ? ` The operator has to check the client that is registered at ${title}.` : '';
      return refuse('credential_not_renewed', {
        message: `${title} issued no access token for this connection.${operatorHint}`,
        advice: `The call was not carried out. Wait ${seconds} seconds, then call again.`,
        retryAfterSeconds: seconds,
      });
    }
  }
}

interface RenewableUse extends UsedCredential {
  readonly entry: { readonly connector: Connector };
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly deadline: number;
}
