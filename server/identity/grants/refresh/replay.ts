/** Answers a refresh token that was used before. */

import { recordAnonymousEvent } from '../../../base/http/caller-limits.ts';
import { areApart } from '../../../base/http/network.ts';
import type { RequestOrigin } from '../../../base/http/request-origin.ts';
import type { Scope } from '../../../base/principal/permission.ts';
import { hashSecret } from '../../../base/principal/secrets.ts';
import { emit } from '../../../base/store/events.ts';
import { findAccessTokenByHash } from '../../../base/store/repositories/access-tokens.ts';
import type { Grant } from '../../../base/store/repositories/oauth-grants.ts';
import { findRefreshToken } from '../../../base/store/repositories/refresh-tokens.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { type GrantOutcome, invalidGrant, namesOf, revokeReplayed, temporarilyUnavailable } from '../grant-outcome.ts';
import { issueAccessTokenOf, type TokenPair, toTokenResponse } from '../issue-tokens.ts';
import { lockActiveGrant } from './issue.ts';

/** A replay within this time may be a slow parallel request: it fails, and revokes nothing. */
const REPLAY_GRACE_MS = 10_000;

interface Replay {
  readonly grant: Grant;
  /** Milliseconds since 1970, like `now` and `sharedUntil`. */
  readonly usedAt: number;
  /** Time until which parallel requests get the same tokens. */
  readonly sharedUntil: number | null;
  readonly now: number;
  readonly retryMs: number;
  /** For audit events. */
  readonly origin: RequestOrigin;
}

type Answer = { readonly scopes: readonly Scope[]; readonly pair: TokenPair; readonly senders: readonly string[] };

/**
 * Answers a refresh token that was used before.
 *
 * Until `sharedUntil` a request is one of several in parallel, and gets the same tokens, until the new refresh token is used. Within `retryMs` the
 * first answer is assumed to be lost, and is repeated as long as neither of its tokens was used.
 *
 * Any other request fails: within `REPLAY_GRACE_MS` as `temporarily_unavailable`; after that as `invalid_grant`, and the grant is revoked, because
 * two parties have the token, and one of them stole it.
 *
 * @param readAnswer the answer to the first request, derived for the scopes of this one; undefined if it is no longer known; `unreadable` if it is
 *   sealed with a key that this node does not have (yet). If this request asks for other scopes than the first one, a parallel request gets a new
 *   access token, and a repeated one is refused.
 */
export async function answerReplay(
  transaction: Executor,
  replay: Replay,
  readAnswer: () => Answer | 'unreadable' | undefined,
): Promise<GrantOutcome> {
  const { grant, usedAt, sharedUntil, retryMs, now, origin } = replay;
  const isParallel = sharedUntil !== null && now < sharedUntil;
  const answer = isParallel || now - usedAt <= retryMs ? readAnswer() : undefined;
  if (answer === 'unreadable') return { refusal: temporarilyUnavailable() };
  if (answer !== undefined && (await canBeRepeated(transaction, answer.pair, { isParallel }))) {
    const { scopes, pair } = answer;
    if (isParallel) {
      const locked = await lockActiveGrant(transaction, grant.id);
      await issueAccessTokenOf(transaction, locked, { scopes, now: usedAt, token: pair.accessToken });
    }
    await recordAnonymousEvent(transaction, { type: 'refresh_answer_repeated', now, ...origin });
    const senders = [...answer.senders, origin.address];
    if (areApart(senders)) {
      await emit(transaction, {
        type: 'refresh_token_shared',
        now,
        ...namesOf(grant),
        ...origin,
        details: { senders },
      });
    }
    return { tokens: toTokenResponse(pair, scopes, { grant, issuedAt: usedAt, now }), grant };
  }
  const late = now - usedAt > REPLAY_GRACE_MS;
  const type = 'refresh_token_replayed';
  if (late) await revokeReplayed(transaction, grant, { type, now, origin });
  else await recordAnonymousEvent(transaction, { type, now, ...origin });
  return { refusal: late ? invalidGrant('The refresh token was already used.') : temporarilyUnavailable() };
}

/** Returns true if the refresh token exists and has not been used, and neither has the access token unless requests are parallel. */
async function canBeRepeated(
  transaction: Executor,
  pair: TokenPair,
  { isParallel }: { readonly isParallel: boolean },
): Promise<boolean> {
  const refreshToken = await findRefreshToken(transaction, hashSecret(transaction, pair.refreshToken));
  // `sharedUntil` is set once the token of the answer is used itself. Then the answer is not repeated.
  if (refreshToken === undefined || refreshToken.sharedUntil !== null) return false;
  if (isParallel) return true;
  const accessToken = await findAccessTokenByHash(transaction, hashSecret(transaction, pair.accessToken));
  return accessToken !== undefined && accessToken.firstUsedAt === null;
}
