/** Grant type `refresh_token` (RFC 6749 §6) with rotation (RFC 9700 §4.14.2), for clients that refresh in parallel. */

import type { Kysely } from 'kysely';
import type { EncryptionKey } from '../../../base/credentials/index.ts';
import { createValueSealer } from '../../../base/credentials/sealed-value.ts';
import type { Grant } from '../../../base/store/repositories/oauth-grants.ts';
import type { Database } from '../../../base/store/schema.ts';
import { type GrantOutcome, temporarilyUnavailable } from '../grant-outcome.ts';
import { claimRefresh } from './claim-refresh.ts';
import { createHeldRequests, type WaitUntil, waitUntil } from './held-requests.ts';
import { issue } from './issue.ts';
import type { RefreshRequest } from './request.ts';

export interface RefreshDependencies {
  readonly db: Kysely<Database>;
  /** The key ring; its first key seals seeds. */
  readonly keys: readonly EncryptionKey[];
  /** Time for which the first request waits for others of the same token, in milliseconds. */
  readonly holdMs: number;
  /** Time for which the answer is repeated while its tokens are unused, in milliseconds. It is never repeated if this is 0. */
  readonly retryMs: number;
  /** The longest lifetime of a client's grant, in milliseconds. Default: each refresh extends it. */
  readonly maxGrantMs?: number | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Default: the system's timers. */
  readonly waitUntil?: WaitUntil;
  /** Requests that may wait on this node. Default: 1000. */
  readonly maxHeld?: number;
}

/**
 * Exchanges a refresh token for its successor and an access token.
 *
 * @param isIssuedToSender true if the grant belongs to the client or partner that sends the request.
 * @throws {OAuthError} `invalid_request`, `invalid_grant`, `invalid_target`, `invalid_scope`, `temporarily_unavailable`, status 400.
 */
export type Refresh = (request: RefreshRequest, isIssuedToSender: (grant: Grant) => boolean) => Promise<GrantOutcome>;

const MAX_HELD = 1000;

/**
 * Creates the function that exchanges refresh tokens.
 *
 * Clients send several concurrent refreshes when their access token expires, and give up their session when all but one fail.
 * So all requests that arrive before the successor is issued are one exchange of the token, on any number of nodes: the first is
 * held for `holdMs`, and all get the same answer. Nodes share nothing but the token's row. Each request that finds
 * the token unused takes the seed from the row, waits until the successor is due, and derives it; the first one to
 * wake up issues it, in the transaction that invalidates the old token.
 *
 * A later request is a replay, and fails (see `answerReplay`). If a node stops or a client disconnects while its request
 * is held, the token stays unused. Beyond `maxHeld` requests, no request is held, and the successor is issued at
 * once.
 */
export function createRefresh(deps: RefreshDependencies): Refresh {
  const { db, holdMs, retryMs, maxGrantMs = null, now } = deps;
  const sealer = createValueSealer({ keys: deps.keys, purpose: 'refresh token' });
  const heldRequests = createHeldRequests({ max: deps.maxHeld ?? MAX_HELD, waitUntil: deps.waitUntil ?? waitUntil });
  return async (request, isIssuedToSender) => {
    const claim = await claimRefresh(db, request, {
      sealer,
      holdMs,
      retryMs,
      maxGrantMs,
      now: now(),
      isIssuedToSender,
    });
    if (!('exchange' in claim)) return claim;
    const { exchange } = claim;
    const answer = await heldRequests.hold(exchange, { now: now(), holdMs, signal: request.disconnected }, (requests) =>
      db
        .transaction()
        .execute((transaction) => issue(transaction, exchange, { request, requests, sealer, retryMs, now: now() })),
    );
    return answer ?? { refusal: temporarilyUnavailable() };
  };
}
