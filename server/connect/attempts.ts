/** Bounds how many credentials can be tried on upstreams through this page, for all gateways together. */

import { networkOf } from '../http/network.ts';
import { countAttempt, uncountAttempt } from '../store/repositories/attempt-counters.ts';
import type { Executor } from '../store/schema.ts';
import { CONNECT_PAGE_TTL_SECONDS } from './page-state.ts';

/** Credentials that one connect request may try in vain, for as long as its page can be open. */
const MAX_REFUSED_PER_REQUEST = 10;

/** Credentials that one address may try in vain in `ADDRESS_WINDOW_SECONDS`. */
const MAX_REFUSED_PER_ADDRESS = 30;
export const ADDRESS_WINDOW_SECONDS = 600;

/** Who tries. */
interface Trier {
  readonly pageId: string;
  /** IP address of the client. */
  readonly address: string;
}

/** Counts an attempt before the upstream is asked. @returns false when this one is not to be made. */
export async function beginAttempt(executor: Executor, trier: Trier, now: number): Promise<boolean> {
  const { request, address } = keysOf(trier);
  const ofAddress = await countAttempt(executor, address, { windowMs: ADDRESS_WINDOW_SECONDS * 1000, now });
  if (ofAddress > MAX_REFUSED_PER_ADDRESS) return false;
  const ofRequest = await countAttempt(executor, request, { windowMs: CONNECT_PAGE_TTL_SECONDS * 1000, now });
  return ofRequest <= MAX_REFUSED_PER_REQUEST;
}

/** Gives back an attempt that was none: the credential was accepted, or the upstream did not answer. */
export async function forgetAttempt(executor: Executor, trier: Trier): Promise<void> {
  const { request, address } = keysOf(trier);
  await uncountAttempt(executor, request);
  await uncountAttempt(executor, address);
}

function keysOf(trier: Trier): { request: string; address: string } {
  return {
    request: `connect:request:${trier.pageId}`,
    address: `connect:address:${networkOf(trier.address)}`,
  };
}
