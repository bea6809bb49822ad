/** Grant type `refresh_token` (RFC 6749 §6) with rotation (RFC 9700 §4.14.2), for clients that refresh in parallel. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { EncryptionKey } from '../../../base/credentials/index.ts';
import { createValueSealer } from '../../../base/credentials/sealed-value.ts';
import type { Grant } from '../../../base/store/repositories/oauth-grants.ts';
import type { Database } from '../../../base/store/schema.ts';
import { type GrantOutcome, temporarilyUnavailable } from '../grant-outcome.ts';
import { claimRefresh } from './claim-refresh.ts';
import { issue } from './issue.ts';
import type { RefreshRequest } from './request.ts';

export interface RefreshDependencies {
  readonly db: Kysely<Database>;
  /** The key ring; its first key seals seeds. */
  readonly keys: readonly EncryptionKey[];
  /** Time after the first request in which others with the same token get the same tokens, in milliseconds. */
  readonly holdMs: number;
  /** Time for which the answer is repeated while its tokens are unused, in milliseconds. It is never repeated if this is 0. */
  readonly retryMs: number;
  /** The longest lifetime of a client's grant, in milliseconds. Default: each refresh extends it. */
  readonly maxGrantMs?: number | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * New tokens come no earlier than this after their request. Of several calls in parallel with an expired token, the answers of all must reach the
 * client before its new tokens do: the official SDK of 2025 gives up a call whose 401 comes after a refresh has succeeded.
 */
const SHORTEST_ANSWER_MS = 100;

/**
 * Exchanges a refresh token for its successor and an access token.
 *
 * @param isIssuedToSender true if the grant belongs to the client or partner that sends the request.
 * @throws {OAuthError} `invalid_request`, `invalid_grant`, `invalid_target`, `invalid_scope`, `temporarily_unavailable`, status 400.
 */
export type Refresh = (request: RefreshRequest, isIssuedToSender: (grant: Grant) => boolean) => Promise<GrantOutcome>;

/**
 * Creates the function that exchanges refresh tokens.
 *
 * Clients send several concurrent refreshes when their access token expires, and give up their session when all but one fail.
 * So the first request issues the successor, and every request with the old token in the `holdMs` after it, on any number of nodes, gets
 * the same answer. In that time the successor is not replaced either, so that all of them end with the same refresh token. Nodes share nothing but
 * the rows of the tokens: that of the old one keeps the seed that the answer is derived from.
 *
 * A later request is a replay: within `retryMs` it may get the answer again, else it fails (see `answerReplay`). A request whose client has disconnected leaves the token unused.
 */
export function createRefresh(deps: RefreshDependencies): Refresh {
  const { db, holdMs, retryMs, maxGrantMs = null } = deps;
  const sealer = createValueSealer({ keys: deps.keys, purpose: 'refresh token' });
  return async function refresh(request, isIssuedToSender): Promise<GrantOutcome> {
    const begunAt = performance.now();
    const now = deps.now();
    const claim = await claimRefresh(db, request, { sealer, holdMs, retryMs, maxGrantMs, now, isIssuedToSender });
    if (!('use' in claim)) return afterOthers(claim, begunAt);
    if (request.disconnected.aborted) return { refusal: temporarilyUnavailable() };
    const { use } = claim;
    const outcome = await db.transaction().execute((transaction) => issue(transaction, use, { request, now }));
    // Another request was faster, and this one gets its answer.
    return outcome === undefined ? refresh(request, isIssuedToSender) : afterOthers(outcome, begunAt);
  };

  async function afterOthers(outcome: GrantOutcome, begunAt: number): Promise<GrantOutcome> {
    if ('tokens' in outcome && holdMs > 0) await sleep(Math.max(0, begunAt + SHORTEST_ANSWER_MS - performance.now()));
    return outcome;
  }
}
