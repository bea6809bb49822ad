/** Tools that send one request, or one for each page of a list. */

import type { Arguments } from '../../../upstream/index.ts';
import type { OpenedCredential } from '../../../upstream/oauth/stored-token.ts';
import { checkArguments, checkUse } from '../arguments.ts';
import type { CallOutcome } from '../call-outcome.ts';
import type { UpstreamDependencies } from '../dependencies.ts';
import { followPages } from '../pages.ts';
import { runStages } from '../run-stages.ts';
import { readLargeAnswer, repeatRefused, sendRequest, takeLoopTurnToRead } from '../sending.ts';
import { readAnswer as readAnswerHere, shapeResult } from '../shape-result.ts';
import { type AnsweredUse, type AuthorizedUse, type SentUse, type Stage, type ToolKind, UNSENT } from '../state.ts';

const SENDING: readonly Stage[] = [sendRequest, repeatRefused, readAnswer, followPages, shapeResult];

export const REQUEST: ToolKind = { prepare: checkArguments, run: SENDING };

const USE: readonly Stage[] = [checkUse, ...SENDING];

/** Makes only the upstream part of a call, for example a part of another. Never throws: a failure is an outcome. */
export function useUpstream(use: AuthorizedUse, deps: UpstreamDependencies): Promise<CallOutcome> {
  return runStages(USE, use, deps);
}

/** A use of a tool for the gateway itself. */
interface GatewayUse {
  readonly entry: AuthorizedUse['entry'];
  readonly arguments: Arguments;
  /** One value per field. */
  readonly credential: OpenedCredential;
  readonly signal: AbortSignal;
  /** Row id of the connection whose caps apply. Undefined for a credential that is not stored. */
  readonly connectionId?: string;
}

/** Uses a tool for the gateway itself, with a credential that is not renewed, for example to verify it. Nothing is recorded. */
export function useAsGateway(use: GatewayUse, deps: UpstreamDependencies): Promise<CallOutcome> {
  const deadline = deps.now() + deps.timeoutMs;
  return useUpstream({ ...UNSENT, ...use, deadline, pins: {}, credentialSince: 0, renew: null }, deps);
}

/** Reads the answer; ends the call if it reports an error. Another thread reads a large answer, and ends the call. */
function readAnswer(
  use: SentUse,
  deps: UpstreamDependencies,
): CallOutcome | AnsweredUse | Promise<CallOutcome | AnsweredUse> {
  const outcomeOfThread = readLargeAnswer(use, deps);
  if (outcomeOfThread !== null) return outcomeOfThread;
  const pendingTurn = takeLoopTurnToRead(use, deps);
  return pendingTurn === null ? readAnswerHere(use, deps) : pendingTurn.then(() => readAnswerHere(use, deps));
}
