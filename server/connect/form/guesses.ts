/** Bounds how many credentials can be tried on upstreams through this page, for all gateways together. */

import { networkOf, siteOf } from '../../http/network.ts';
import { countGuess, uncountGuess } from '../../store/repositories/guess-counters.ts';
import type { Executor } from '../../store/schema.ts';
import { CONNECT_PAGE_TTL_SECONDS } from '../visit/page-state.ts';

/** Failed credentials of one connect request, for as long as its page can be open. */
const MAX_REFUSED_PER_REQUEST = 10;

/** Failed credentials of one address in `ADDRESS_WINDOW_SECONDS`. */
const MAX_REFUSED_PER_ADDRESS = 30;
export const ADDRESS_WINDOW_SECONDS = 600;

/** Failed credentials of one IPv6 /48 in that time; its owner is free to change the /64. */
const MAX_REFUSED_PER_SITE = 4 * MAX_REFUSED_PER_ADDRESS;

/**
 * Credentials that may be tried on one service in that time, from all addresses together.
 *
 * Plain links, which anyone can write, share one budget of a service, and what the service accepts counts too: whether a
 * key is valid is what a thief of keys wants to know. Connect sessions have a budget for each partner, of refused ones alone.
 */
const MAX_PER_SERVICE = 300;

/** Who tries what. */
interface GuessSource {
  readonly pageId: string;
  /** IP address of the client. */
  readonly address: string;
  /** Connector name. */
  readonly service: string;
  /** Row id of the partner whose connect session it is; null: a plain link led here. */
  readonly partnerId: string | null;
}

/**
 * Counts a guess before the upstream is asked: the site first, so that one over its bound adds no more addresses to what is kept.
 *
 * @returns false when this one is not to be made.
 */
export async function beginGuess(executor: Executor, source: GuessSource, now: number): Promise<boolean> {
  const { request, address, site, service } = keysOf(source);
  const window = { windowMs: ADDRESS_WINDOW_SECONDS * 1000, now };
  if ((await countGuess(executor, site, window)) > MAX_REFUSED_PER_SITE) return false;
  if ((await countGuess(executor, address, window)) > MAX_REFUSED_PER_ADDRESS) return false;
  const ofRequest = await countGuess(executor, request, { windowMs: CONNECT_PAGE_TTL_SECONDS * 1000, now });
  if (ofRequest > MAX_REFUSED_PER_REQUEST) return false;
  return (await countGuess(executor, service, window)) <= MAX_PER_SERVICE;
}

/** Gives back a guess that was none: the credential was accepted, or the upstream did not answer. */
export async function forgetGuess(executor: Executor, source: GuessSource): Promise<void> {
  const { service, ...own } = keysOf(source);
  for (const key of Object.values(own)) await uncountGuess(executor, key);
  if (source.partnerId !== null) await uncountGuess(executor, service);
}

function keysOf({ pageId, address, service, partnerId }: GuessSource) {
  return {
    request: `connect:request:${pageId}`,
    address: `connect:address:${networkOf(address)}`,
    site: `connect:site:${siteOf(address)}`,
    service: partnerId === null ? `connect:service:${service}` : `connect:service:${service}:${partnerId}`,
  };
}
