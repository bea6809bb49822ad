/** The stored outcome of a call, for a client that repeats the call. */

import { parseExactJson } from '../../json/exact-json.ts';
import type { CompleteToolResult } from '../../provider.ts';
import { keepJson, toJson } from '../../results/written.ts';
import { type Ending, refuse } from '../ending.ts';

/** Seals kept answers. As `ValueSealer`. */
export interface AnswerSealer {
  seal(value: unknown, options: { holder: string; expiresAt: number }): string;
  open(sealed: string, options: { holder: string; now: number }): unknown;
}

/** The sealed content. The result is stored as JSON text, so that numbers stay as the upstream wrote them. */
type Kept = Omit<Ending, 'result'> & { readonly json: string };

/** The call that an answer belongs to. The answer opens for no other call. */
interface Belongs {
  readonly keyHash: string;
  readonly callHash: string;
}

const holderOf = ({ keyHash, callHash }: Belongs): string => `${keyHash} ${callHash}`;

/** @param expiresAt milliseconds since 1970. */
export function sealAnswer(sealer: AnswerSealer, ending: Ending, call: Belongs & { expiresAt: number }): string {
  const { result, ...facts } = ending;
  const kept: Kept = { ...facts, json: toJson(result) };
  return sealer.seal(kept, { holder: holderOf(call), expiresAt: call.expiresAt });
}

/**
 * Restores the ending of an earlier call, without a request to the upstream.
 *
 * @param sealed null: it was not kept.
 * @param now milliseconds since 1970.
 */
export function openAnswer(sealer: AnswerSealer, sealed: string | null, call: Belongs & { now: number }): Ending {
  const opened = sealed === null ? undefined : sealer.open(sealed, { holder: holderOf(call), now: call.now });
  if (opened === undefined) {
    return refuse('result_too_large', {
      message: 'The call with this idempotency key took effect. Its answer was not kept.',
      advice: 'Read the current state instead of calling again.',
    });
  }
  const { json, ...facts } = opened as Kept;
  const result = keepJson(parseExactJson(json).value as CompleteToolResult, json);
  return { ...facts, upstreamStatus: null, result } as Ending;
}
