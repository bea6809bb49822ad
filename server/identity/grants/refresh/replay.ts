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
import { type TokenPair, toTokenResponse } from '../issue-tokens.ts';

/** A replay within this time may be a slow parallel request: it fails, and revokes nothing. */
const REPLAY_GRACE_MS = 10_000;

interface Replay {
  readonly grant: Grant;
  /** Milliseconds since 1970, like `now`. */
  readonly usedAt: number;
  readonly now: number;
  readonly retryMs: number;
  /** For audit events. */
  readonly origin: RequestOrigin;
}

type Answer = { readonly scopes: readonly Scope[]; readonly pair: TokenPair; readonly senders: readonly string[] };

/**
 * Refuses the request: within `REPLAY_GRACE_MS` as `temporarily_unavailable`; after that as `invalid_grant`, and the grant
 * is revoked, because two parties have the token, and one of them stole it.
 *
 * Within `retryMs` the first answer is assumed to be lost, and is repeated as long as neither of its tokens was
 * used.
 *
 * @param readAnswer the answer to the first request, derived for the scopes of this one; undefined if it is no longer known. With other scopes its
 *   access token does not exist, and counts as used.
 */
export async function answerReplay(
  transaction: Executor,
  replay: Replay,
  readAnswer: () => Answer | undefined,
): Promise<GrantOutcome> {
  const { grant, usedAt, retryMs, now, origin } = replay;
  const answer = now - usedAt <= retryMs ? readAnswer() : undefined;
  if (answer !== undefined && (await isUnused(transaction, answer.pair))) {
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
    return { tokens: toTokenResponse(answer.pair, answer.scopes, { grant, issuedAt: usedAt, now }), grant };
  }
  const late = now - usedAt > REPLAY_GRACE_MS;
  const type = 'refresh_token_replayed';
  if (late) await revokeReplayed(transaction, grant, { type, now, origin });
  else await recordAnonymousEvent(transaction, { type, now, ...origin });
  return { refusal: late ? invalidGrant('The refresh token was already used.') : temporarilyUnavailable() };
}

/** Returns true if both tokens still exist and neither has been used. */
async function isUnused(transaction: Executor, pair: TokenPair): Promise<boolean> {
  const refreshToken = await findRefreshToken(transaction, hashSecret(transaction, pair.refreshToken));
  const accessToken = await findAccessTokenByHash(transaction, hashSecret(transaction, pair.accessToken));
  if (refreshToken === undefined || accessToken === undefined) return false;
  // The first request with a refresh token sets the time at which its own successor is due.
  const isRefreshTokenSent = refreshToken.issuesAt !== null;
  const isAccessTokenSent = accessToken.firstUsedAt !== null;
  return !isRefreshTokenSent && !isAccessTokenSent;
}
