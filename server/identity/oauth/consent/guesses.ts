/** Limits how many wrong connection codes can be tried, across all gateways. */

import { networkOf, siteOf } from '../../../base/http/network.ts';
import { countGuess, readGuesses, uncountGuess } from '../../../base/store/repositories/guess-counters.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { CONSENT_PAGE_TTL_SECONDS } from './page-state.ts';

/** Wrong codes in one authorization request, while its page can be open. */
const MAX_WRONG_CODES_PER_REQUEST = 5;

/** Wrong codes from one address in `ADDRESS_WINDOW_SECONDS`. */
const MAX_WRONG_CODES_PER_ADDRESS = 20;
export const ADDRESS_WINDOW_SECONDS = 600;

/** Wrong codes from one IPv6 /48 in that time, whose owner can switch between its /64 networks. */
const MAX_WRONG_CODES_PER_SITE = 4 * MAX_WRONG_CODES_PER_ADDRESS;

interface GuessSource {
  readonly pageId: string;
  /** IP address of the client. */
  readonly address: string;
}

/** `allowed`, or the limit that rejects this guess. */
type GuessVerdict = 'allowed' | 'request' | 'address';

/**
 * Checks whether a code may be tried.
 *
 * Per request, a guess counts before it is checked, so that concurrent guesses cannot exceed the limit. Per address,
 * which a whole company may share, only wrong codes count, after they were checked.
 */
export async function beginGuess(executor: Executor, source: GuessSource, now: number): Promise<GuessVerdict> {
  const { request, address, site } = keysOf(source);
  if ((await readGuesses(executor, address, now)) >= MAX_WRONG_CODES_PER_ADDRESS) return 'address';
  if ((await readGuesses(executor, site, now)) >= MAX_WRONG_CODES_PER_SITE) return 'address';
  const windowMs = CONSENT_PAGE_TTL_SECONDS * 1000;
  const ofRequest = await countGuess(executor, request, { windowMs, now });
  return ofRequest > MAX_WRONG_CODES_PER_REQUEST ? 'request' : 'allowed';
}

/** Settles an allowed guess: a right one is not counted, a wrong one counts for its address too. */
export async function settleGuess(
  executor: Executor,
  source: GuessSource,
  outcome: { isRight: boolean; now: number },
): Promise<void> {
  const { request, address, site } = keysOf(source);
  const window = { windowMs: ADDRESS_WINDOW_SECONDS * 1000, now: outcome.now };
  if (outcome.isRight) return uncountGuess(executor, request);
  await countGuess(executor, address, window);
  await countGuess(executor, site, window);
}

function keysOf(source: GuessSource): { request: string; address: string; site: string } {
  return {
    request: `connection-code:request:${source.pageId}`,
    address: `connection-code:address:${networkOf(source.address)}`,
    site: `connection-code:site:${siteOf(source.address)}`,
  };
}
