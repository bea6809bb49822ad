/** Stage `send`: one request to the upstream. */

import { randomUUID } from 'node:crypto';
import type { Turn } from '../../upstream/caps/index.ts';
import {
  CannotSendError,
  type PreparedRequest,
  UnusableCredentialError,
  UpstreamFailure,
  type UpstreamFailureKind,
} from '../../upstream/index.ts';
import { explainUnsendable } from '../arguments/unsendable.ts';
import { findBrokenPin } from '../pins/places.ts';
import { explainFailure } from '../results/upstream-errors.ts';
import type { UpstreamDependencies, UpstreamUse } from './call.ts';
import { type Ending, failed, refuse } from './ending.ts';
import { endWithoutTurn, takeTurn } from './take-turn.ts';
import { unreadableCredential } from './unreadable-credential.ts';

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
  if (error instanceof UnusableCredentialError) return unreadableCredential(call, error, deps);
  if (!(error instanceof CannotSendError)) throw error;
  const { entry, arguments: args } = call;
  const { connector, tool } = entry;
  return failed(explainUnsendable({ connector, tool, args }, error, deps.validators(tool.inputSchema)));
}
