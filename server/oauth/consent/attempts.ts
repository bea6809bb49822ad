/** Bounds how many wrong connection codes can be tried, for all gateways together. */

import { networkOf } from '../../http/network.ts';
import { countAttempt, uncountAttempt } from '../../store/repositories/attempt-counters.ts';
import type { Executor } from '../../store/schema.ts';
import { TRANSACTION_TTL_SECONDS } from './transaction.ts';

/** Wrong codes in one authorization request, for as long as its page can be open. */
export const MAX_WRONG_CODES_PER_REQUEST = 5;

/** Wrong codes from one address in `ADDRESS_WINDOW_SECONDS`. */
export const MAX_WRONG_CODES_PER_ADDRESS = 20;
export const ADDRESS_WINDOW_SECONDS = 600;

/** Who tries. */
export interface Guesser {
  readonly transactionId: string;
  /** IP address of the client. */
  readonly address: string;
}

/** `allowed`, or which bound does not let this attempt be looked at. */
export type AttemptVerdict = 'allowed' | 'request' | 'address';

/**
 * Counts an attempt before its code is looked at, so that attempts made at once cannot pass the bound together.
 *
 * One that turns out right is given back with `forgetAttempt`.
 */
export async function beginAttempt(executor: Executor, guesser: Guesser, now: number): Promise<AttemptVerdict> {
  const { request, address } = keysOf(guesser);
  const windowMs = ADDRESS_WINDOW_SECONDS * 1000;
  if ((await countAttempt(executor, address, { windowMs, now })) > MAX_WRONG_CODES_PER_ADDRESS) return 'address';
  const requestWindowMs = TRANSACTION_TTL_SECONDS * 1000;
  const ofRequest = await countAttempt(executor, request, { windowMs: requestWindowMs, now });
  return ofRequest > MAX_WRONG_CODES_PER_REQUEST ? 'request' : 'allowed';
}

/** Gives back an attempt whose code was right. */
export async function forgetAttempt(executor: Executor, guesser: Guesser): Promise<void> {
  const { request, address } = keysOf(guesser);
  await uncountAttempt(executor, request);
  await uncountAttempt(executor, address);
}

function keysOf(guesser: Guesser): { request: string; address: string } {
  return {
    request: `connection-code:request:${guesser.transactionId}`,
    address: `connection-code:address:${networkOf(guesser.address)}`,
  };
}
