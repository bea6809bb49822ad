/** Stages `send` and `repeat`: one request to the upstream, and another one after a refused credential was renewed. */

import { randomUUID } from 'node:crypto';
import type { Turn } from '../../../base/limits/turns.ts';
import type { Caps, Connector } from '../../../contract/index.ts';
import {
  CannotSendError,
  type PreparedRequest,
  UnusableCredentialError,
  type UpstreamAnswer,
  UpstreamFailure,
  type UpstreamFailureKind,
} from '../../upstream/index.ts';
import type { Renewal } from '../../upstream/lease.ts';
import type { OpenedCredential } from '../../upstream/oauth/stored-token.ts';
import { type AnyTool, findBrokenPin, findVerifyingTool } from '../catalogue/permitted.ts';
import { decodeErrorBody } from '../results/decode.ts';
import { type ExplainedError, explain } from '../results/errors.ts';
import { type CalledTool, explainFailure, refusesCredential } from '../results/upstream-errors.ts';
import { withhold } from '../results/withheld.ts';
import type { Validator } from '../validate.ts';
import { describeBrokenRule } from './argument-errors.ts';
import { type Call, createGatewayUse, type UpstreamDependencies, type UpstreamUse, type UseUpstream } from './call.ts';
import { type CallOutcome, failed, needsAttention, refuse, unreadableCredential } from './call-outcome.ts';

/** Not reported per call: the client caused it, or the log has it once for all affected calls. */
const UNREPORTED: ReadonlySet<UpstreamFailureKind> = new Set(['cancelled', 'circuit_open']);

/** Sends the request, and keeps the answer. Arguments that no request can carry are rejected before sending. */
export async function sendRequest(call: UpstreamUse, deps: UpstreamDependencies): Promise<CallOutcome | null> {
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
  let turn: Turn | null = null;
  try {
    deps.upstream.check({ service: connector.name, origin: request.outgoing.origin });
    const waiting = takeTurn(call, deps);
    turn = waiting === null ? null : await waiting;
    if (turn !== null && turn.kind !== 'taken') return endWithoutTurn(call, turn);
    const onSending = () => {
      call.mayHaveActed = true;
    };
    const timeoutMs = Math.max(0, deadline - deps.now());
    const { connectionId } = call;
    const answer = await deps.upstream.send(request, { signal, connectionId, timeoutMs, onSending });
    const open = tool.result?.withhold === undefined ? answer : await withholdMembers(call, answer, deps);
    if ('error' in open) return failed(open);
    call.answer = open;
    return null;
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    if (!UNREPORTED.has(error.kind)) deps.onFault({ kind: 'upstream_failure', tool: tool.name, error });
    return failed(explainFailure({ connector, tool, args }, error, deps.timeoutMs));
  } finally {
    if (turn?.kind === 'taken') turn.end();
    if (!tool.annotations.readOnlyHint) deps.readLists?.forget(call.connectionId);
  }
}

/** Answers from this size on are read in another thread, in bytes: parsing and shaping one takes about 20 ms. */
const LARGE_BYTES = 256 * 1024;
/** Items are tested and compared one by one, which takes several times as long. */
const LARGE_BYTES_OF_SELECTION = 64 * 1024;

/** Answers from this size on are read one in each turn of the event loop: several may arrive at once. */
const MEDIUM_BYTES = 32 * 1024;

/** Whether reading an answer would stop other calls for too long. */
export function isLargeAnswer({ selection }: UpstreamUse, { body }: UpstreamAnswer): boolean {
  return body.byteLength >= (selection == null ? LARGE_BYTES : LARGE_BYTES_OF_SELECTION);
}

/** Waits until the event loop has time for an answer of medium size. Costs nothing for others. */
export function takeTurnToRead(call: UpstreamUse, { largeAnswers }: UpstreamDependencies): null | Promise<void> {
  const isMedium = call.answer !== null && call.answer.body.byteLength >= MEDIUM_BYTES;
  return isMedium && largeAnswers !== undefined ? largeAnswers.takeTurn(call) : null;
}

/** Ends a call with a large answer. Costs nothing for others. */
export function readLargeAnswer(call: UpstreamUse, deps: UpstreamDependencies): null | Promise<CallOutcome> {
  const { answer } = call;
  if (answer === null || deps.largeAnswers === undefined || !isLargeAnswer(call, answer)) return null;
  return deps.largeAnswers.read(call, deps);
}

/** The answer without the members that never leave. */
function withholdMembers(
  call: UpstreamUse,
  answer: UpstreamAnswer,
  { largeAnswers }: UpstreamDependencies,
): UpstreamAnswer | ExplainedError | Promise<UpstreamAnswer | ExplainedError> {
  const { connector, tool } = call.entry;
  const called = { connector, tool, args: call.arguments };
  if (largeAnswers === undefined || answer.body.byteLength < LARGE_BYTES_OF_SELECTION) return withhold(called, answer);
  return largeAnswers.withhold(call, called, answer);
}

function explainUnsent(call: UpstreamUse, error: unknown, deps: UpstreamDependencies): CallOutcome {
  if (error instanceof UnusableCredentialError) return unreadableCredential(call.entry, error, deps.onFault);
  if (!(error instanceof CannotSendError)) throw error;
  const { entry, arguments: args } = call;
  const { connector, tool } = entry;
  return failed(explainUnsendable({ connector, tool, args }, error, deps.validators(tool.inputSchema)));
}

/** The share of a call's time that is reserved for the request; a call waits for its turn until then. */
const REQUEST_SHARE = 0.25;

/** Waits for a turn; null, at no cost, if there is no cap. */
function takeTurn(
  { entry: { connector }, connectionId, signal, deadline }: UpstreamUse,
  { turns, timeoutMs }: UpstreamDependencies,
): Promise<Turn> | null {
  const { caps } = connector;
  if (caps === undefined || turns === undefined || connectionId === undefined) return null;
  return turns.take({ connectionId, caps, signal, startBy: deadline - timeoutMs * REQUEST_SHARE, endBy: deadline });
}

/** Ends a call that got no turn. */
export function endWithoutTurn(
  { entry: { connector } }: Pick<UpstreamUse, 'entry'>,
  turn: Exclude<Turn, { readonly kind: 'taken' }>,
): CallOutcome {
  if (turn.kind === 'cancelled') return refuse('cancelled', { message: 'The call was cancelled.' });
  const seconds = turn.retryAfterSeconds;
  if (turn.cap === 'uncounted') {
    return refuse('no_free_turn', {
      message: `${connector.title} limits the number of calls, and the gateway cannot count them now.`,
      advice: `Nothing was sent. Wait ${seconds} seconds, then call again.`,
      retryAfterSeconds: seconds,
    });
  }
  return refuse('no_free_turn', {
    message: `${connector.title} takes ${describeCap(connector.caps ?? {}, turn.cap)} from one connected account, and this call waited too long behind others.`,
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
 * A request that is refused with filters of the gateway's own is repeated without them.
 */
export async function repeatRefused(call: UpstreamUse, deps: UpstreamDependencies): Promise<CallOutcome | null> {
  const { answer, renew, credential, entry, redactor, filtered } = call;
  if (filtered != null && answer !== null && REFUSES_FILTER.has(answer.status)) {
    call.arguments = filtered.without;
    call.filtered = null;
    return (await sendRequest(call, deps)) ?? repeatRefused(call, deps);
  }
  if (renew === null || answer === null) return null;
  const { connector, tool } = entry;
  const { status } = answer;
  const mayRefuse = status === 401 || connector.errors.invalidCredential.some((rule) => rule.status === status);
  if (!mayRefuse) return null;
  const body = decodeErrorBody(answer.body, answer.header('content-type'), redactor);
  if (!refusesCredential(connector.errors, status, body)) return null;
  if (status === 401) call.mayHaveActed = false;
  const ending = await renewCredential(call, renew(), deps);
  if (ending !== null) return ending;
  call.renew = null;
  if (call.credential === credential) return null;
  const isSafe = tool.annotations.idempotentHint || tool.idempotency !== undefined;
  if (status === 401 || isSafe) return sendRequest(call, deps);
  return refuse('refused_once', {
    message: `${connector.title} refused the access token of this connection, which the gateway has replaced.`,
    status,
  });
}

/**
 * Waits for a renewal until the call's deadline, and sets the call's credential. Other calls wait for the same renewal,
 * so it continues if this call ends.
 *
 * @returns the ending of the call if there is no token; null: the call continues with the current credential.
 */
export async function renewCredential(
  call: UpstreamUse<AnyTool>,
  renewal: Promise<Renewal>,
  deps: Pick<UpstreamDependencies, 'now'>,
): Promise<CallOutcome | null> {
  const { title } = call.entry.connector;
  const outcome = await inTime(renewal, call, deps.now());
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
      const who = byOperator ? ` The operator has to check the client that is registered at ${title}.` : '';
      return refuse('credential_not_renewed', {
        message: `${title} issued no access token for this connection.${who}`,
        advice: `Nothing was sent. Wait ${seconds} seconds, then call again.`,
        retryAfterSeconds: seconds,
      });
    }
  }
}

/** Waits for the renewal, the deadline or a cancellation. */
function inTime(
  renewal: Promise<Renewal>,
  { signal, deadline }: Pick<UpstreamUse, 'signal' | 'deadline'>,
  now: number,
): Promise<Renewal | { readonly kind: 'cancelled' }> {
  return new Promise((resolve, reject) => {
    const cancel = () => resolve({ kind: 'cancelled' });
    const late = () => resolve({ kind: 'delayed', retryAfterSeconds: 1, byOperator: false });
    const timer = setTimeout(late, Math.max(0, deadline - now));
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    renewal.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    });
  });
}

/** Returns the final ending of a call whose credential may have been refused. */
type ConfirmRefusal = (call: Call, ending: CallOutcome) => CallOutcome | Promise<CallOutcome>;

const MAX_SUSPECTS = 1000;

/**
 * Creates the check. A refusal is confirmed if the connector's verifying call is refused too; without such a call, if
 * it is the second in a row on this node. Otherwise the call ends with `refused_once`, and the connection stays active.
 */
export function createRefusalCheck(deps: UpstreamDependencies, useUpstream: UseUpstream): ConfirmRefusal {
  const asking = new Map<string, Promise<boolean>>();
  /** The `updatedAt` of the refused credential, by connection. */
  const suspects = new Map<string, number>();

  const isRefusedAgain = (key: string, connector: Connector, credential: OpenedCredential): Promise<boolean> => {
    const inProgress = asking.get(key);
    if (inProgress !== undefined) return inProgress;
    const verifying = findVerifyingTool(connector);
    if (verifying === null) throw new Error('a connector without a verifying call cannot be asked');
    const { tool, arguments: args } = verifying;
    const { signal } = new AbortController();
    const verifyingUse = { entry: { connector, tool }, connectionId: key, signal, arguments: args, credential };
    const answer = useUpstream(createGatewayUse(verifyingUse, deps), { ...deps, onFault: () => {} })
      .then(({ outcome }) => outcome === 'credential_refused')
      .finally(() => asking.delete(key));
    asking.set(key, answer);
    return answer;
  };

  const isSecondInARow = (key: string, since: number): boolean => {
    const isSecond = suspects.get(key) === since;
    suspects.delete(key);
    if (!isSecond) suspects.set(key, since);
    const [oldest] = suspects.keys();
    if (suspects.size > MAX_SUSPECTS && oldest !== undefined) suspects.delete(oldest);
    return isSecond;
  };

  return (call, ending) => {
    const { connector } = call.entry;
    if (ending.outcome !== 'credential_refused') {
      if (suspects.size > 0 && ending.outcome === 'ok') suspects.delete(keyOf(call));
      return ending;
    }
    const doubtful = (): CallOutcome => {
      const refused = refuse('refused_once', {
        message: `${connector.title} refused the credential of this connection once.`,
        status: ending.upstreamStatus,
        upstreamCode: ending.error?.upstreamCode ?? null,
      });
      // The items of the pages before a refusal follow its own blocks.
      const items = ending.result.content.slice(refused.result.content.length);
      return { ...refused, result: { ...refused.result, content: [...refused.result.content, ...items] } };
    };
    const key = keyOf(call);
    if (call.entry.tool.extra !== undefined) return doubtful();
    if (findVerifyingTool(connector) === null) return isSecondInARow(key, call.credentialSince) ? ending : doubtful();
    return isRefusedAgain(key, connector, call.credential).then((isRefused) => (isRefused ? ending : doubtful()));
  };
}

/** One per account: what one is refused says nothing of another. */
function keyOf({ connectionId = '' }: Call): string {
  return connectionId;
}
