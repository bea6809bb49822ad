/** Tries a credential on its upstream before it is stored, within limits that hold across all gateways of the store. */

import { recordAnonymousEvent } from '../base/http/caller-limits.ts';
import { networkOf, siteOf } from '../base/http/network.ts';
import type { GatewayContext } from '../base/http/state.ts';
import { countGuess, uncountGuess } from '../base/store/repositories/guess-counters.ts';
import type { Executor } from '../base/store/schema.ts';
import type { Connector } from '../contract/index.ts';
import { CONNECT_PAGE_TTL_SECONDS, type ConnectContext } from './context.ts';
import type { ConnectProblem } from './problems.ts';
import type { ConnectVisit } from './visit.ts';

/** Far more than an upstream takes to answer, with one retry. */
const VERIFY_TIMEOUT_MS = 60_000;

/** Refused credentials of one connect request, while its page is open. */
const MAX_REFUSED_PER_REQUEST = 10;

/** Refused credentials of one address in `ADDRESS_WINDOW_SECONDS`. */
const MAX_REFUSED_PER_ADDRESS = 30;
export const ADDRESS_WINDOW_SECONDS = 600;

/** Refused credentials of one IPv6 /48 in that time; its owner can change the /64 freely. */
const MAX_REFUSED_PER_SITE = 4 * MAX_REFUSED_PER_ADDRESS;

/**
 * Refused credentials of one partner's users on one service in that time, from all addresses together. Plain links, which anyone can
 * write, have a budget apart from connect sessions.
 */
const MAX_REFUSED_PER_PARTNER = 300;

/** @returns null if the credential can be stored. */
export async function tryCredential(
  ctx: GatewayContext,
  { request, pageId, session }: ConnectVisit,
  {
    fields,
    verify,
  }: { readonly fields: Readonly<Record<string, string>>; readonly verify?: Connector['verify'] | undefined },
  deps: ConnectContext,
): Promise<ConnectProblem | null> {
  const source = {
    pageId,
    address: ctx.ip,
    service: request.connector.name,
    partnerId: request.partner.id,
    isSession: session !== null,
  };
  if (!(await beginGuess(deps.db, source, deps.now()))) return { kind: 'too-many' };
  const verdict = await deps.realms
    .of(request.partner)
    .verifyCredential(request.connector, fields, AbortSignal.timeout(VERIFY_TIMEOUT_MS), verify);
  if (verdict.kind === 'refused') {
    await recordAnonymousEvent(deps.db, { type: 'connect_credential_refused', now: deps.now(), address: ctx.ip });
    return verdict;
  }
  if (verdict.kind === 'unsendable') return { kind: 'unsendable' };
  await forgetGuess(deps.db, source);
  return verdict.kind === 'unavailable' ? verdict : null;
}

/** The sender of a credential that is tried, and its destination. */
interface GuessSource {
  readonly pageId: string;
  /** IP address of the client. */
  readonly address: string;
  /** Connector name. */
  readonly service: string;
  /** Row id of the partner that the page was opened for. */
  readonly partnerId: string;
  /** False if the page was opened by a plain link. */
  readonly isSession: boolean;
}

/**
 * Counts a guess before the upstream is asked: the site first, so that a site over its limit adds no more addresses to the store.
 *
 * @returns false when the guess is not allowed.
 */
async function beginGuess(executor: Executor, source: GuessSource, now: number): Promise<boolean> {
  const { request, address, site, service } = keysOf(source);
  const window = { windowMs: ADDRESS_WINDOW_SECONDS * 1000, now };
  if ((await countGuess(executor, site, window)) > MAX_REFUSED_PER_SITE) return false;
  if ((await countGuess(executor, address, window)) > MAX_REFUSED_PER_ADDRESS) return false;
  const ofRequest = await countGuess(executor, request, { windowMs: CONNECT_PAGE_TTL_SECONDS * 1000, now });
  if (ofRequest > MAX_REFUSED_PER_REQUEST) return false;
  return (await countGuess(executor, service, window)) <= MAX_REFUSED_PER_PARTNER;
}

/** Takes back a guess that does not count: the credential was accepted, or the upstream did not answer. */
async function forgetGuess(executor: Executor, source: GuessSource): Promise<void> {
  for (const key of Object.values(keysOf(source))) await uncountGuess(executor, key);
}

function keysOf({ pageId, address, service, partnerId, isSession }: GuessSource) {
  return {
    request: `connect:request:${pageId}`,
    address: `connect:address:${networkOf(address)}`,
    site: `connect:site:${siteOf(address)}`,
    service: `connect:${isSession ? 'sessions' : 'links'}:${service}:${partnerId}`,
  };
}
