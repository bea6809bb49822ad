/** Stage `send`: one request to the upstream. */

import { randomUUID } from 'node:crypto';
import type { Caps } from '../../../contract/index.ts';
import type { Turn } from '../../upstream/caps/index.ts';
import {
  CannotSendError,
  type PreparedRequest,
  UnusableCredentialError,
  UpstreamFailure,
  type UpstreamFailureKind,
} from '../../upstream/index.ts';
import { findBrokenPin } from '../catalogue/permitted.ts';
import { type ExplainedError, explain } from '../results/errors.ts';
import { type CalledTool, explainFailure } from '../results/upstream-errors.ts';
import type { Validator } from '../validate.ts';
import { describeBrokenRule } from './argument-errors.ts';
import type { UpstreamDependencies, UpstreamUse } from './call.ts';
import { type Ending, failed, refuse, unreadableCredential } from './ending.ts';

/** Not reported per call: the client caused it, or the log has it once for all affected calls. */
const UNREPORTED: ReadonlySet<UpstreamFailureKind> = new Set(['cancelled', 'circuit_open']);

/** Sends the request, and keeps the answer. Arguments that no request can carry are rejected before sending. */
export async function sendRequest(call: UpstreamUse, deps: UpstreamDependencies): Promise<Ending | null> {
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
    deps.upstream.check(request);
    const waiting = takeTurn(call, deps);
    turn = waiting === null ? null : await waiting;
    if (turn !== null && turn.kind !== 'taken') return endWithoutTurn(call, turn);
    const onSending = () => {
      call.mayHaveActed = true;
    };
    const timeoutMs = Math.max(0, deadline - deps.now());
    const { connectionId } = call;
    call.answer = await deps.upstream.send(request, { signal, connectionId, timeoutMs, onSending });
    return null;
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    if (!UNREPORTED.has(error.kind)) deps.onFault({ kind: 'upstream_failure', tool: tool.name, error });
    return failed(explainFailure({ connector, tool, args }, error, deps.timeoutMs));
  } finally {
    if (turn?.kind === 'taken') turn.end();
  }
}

function explainUnsent(call: UpstreamUse, error: unknown, deps: UpstreamDependencies): Ending {
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
function endWithoutTurn(
  { entry: { connector } }: Pick<UpstreamUse, 'entry'>,
  turn: Exclude<Turn, { readonly kind: 'taken' }>,
): Ending {
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
