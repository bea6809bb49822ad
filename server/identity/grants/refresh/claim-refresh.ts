/** First step of a refresh: checks the request, and prepares the use of the token, or answers as the use in parallel was answered. */

import type { Kysely } from 'kysely';
import type { ValueSealer } from '../../../base/credentials/sealed-value.ts';
import { hashSecret } from '../../../base/principal/secrets.ts';
import { findGrant, type Grant } from '../../../base/store/repositories/oauth-grants.ts';
import {
  findPredecessor,
  findRefreshToken,
  type RefreshToken,
} from '../../../base/store/repositories/refresh-tokens.ts';
import type { Database } from '../../../base/store/schema.ts';
import { checkActive } from '../../protocol/partner-suspended.ts';
import { checkResources } from '../../protocol/resource-indicator.ts';
import { type GrantOutcome, invalidGrant, requireParameter, temporarilyUnavailable } from '../grant-outcome.ts';
import { narrowScopes } from '../issue-tokens.ts';
import { createSeed, derivePair, openSeed, type Seed, sealSeed } from './derive-pair.ts';
import { issueParallel } from './issue.ts';
import { answerReplay } from './replay.ts';
import type { RefreshRequest, RefreshUse } from './request.ts';

interface ClaimOptions {
  readonly sealer: ValueSealer;
  readonly holdMs: number;
  readonly retryMs: number;
  /** The longest lifetime of a client's grant, in milliseconds. Null for no limit. */
  readonly maxGrantMs: number | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly isIssuedToSender: (grant: Grant) => boolean;
}

/** Before 0.1.0 a refresh had two steps: it stored a seed, and issued the tokens later. If it has not done so this long after `issues_at`, it never will. */
const ABANDONED_AFTER_MS = 10_000;

/** Addresses of one use that its audit event names. */
const MAX_SENDERS = 20;

const UNKNOWN = 'The refresh token is unknown, has expired, or was issued to another client.';

/**
 * Checks the request, and prepares the use of its token. A used token is answered as its first use or refused: see `answerReplay`.
 *
 * A token that a refresh issued less than `holdMs` ago is answered with itself and another access token: other requests in parallel with that
 * refresh may still be getting it. All nodes decide by the token's row. A request that fails a check leaves no trace.
 *
 * @throws {OAuthError} `invalid_request`, `invalid_grant`, `invalid_target`, `invalid_scope`, `temporarily_unavailable`, status 400.
 */
export async function claimRefresh(
  db: Kysely<Database>,
  request: RefreshRequest,
  options: ClaimOptions,
): Promise<{ readonly use: RefreshUse } | GrantOutcome> {
  const { form } = request;
  const { sealer, holdMs, retryMs, now } = options;
  const text = requireParameter(form, 'refresh_token');
  const tokenHash = hashSecret(db, text);
  const token = await findRefreshToken(db, tokenHash);
  const grant = token && (await findGrant(db, token.grantId));
  if (token === undefined || grant === undefined || !options.isIssuedToSender(grant)) throw invalidGrant(UNKNOWN);
  if (grant.revokedAt !== null) throw invalidGrant('The refresh token was revoked.');
  checkActive(grant.partner);
  if (isOver(grant, options)) throw invalidGrant('The grant has expired: its user must allow the client again.');
  const pairFor = (seed: string) => {
    checkResources(form.getAll('resource'), grant.resource);
    const scopes = narrowScopes(grant, form.get('scope'));
    return { scopes, pair: derivePair(seed, text, scopes) };
  };
  if (token.usedAt !== null) {
    const seed = openSeed(sealer, token, now);
    const replay = {
      grant,
      usedAt: token.usedAt,
      sharedUntil: token.sharedUntil,
      retryMs,
      now,
      origin: request.origin,
    };
    const readAnswer = () => {
      if (seed === undefined) return token.sealedSeed === null ? undefined : 'unreadable';
      return { ...pairFor(seed.seed), senders: seed.senders };
    };
    return db.transaction().execute((transaction) => answerReplay(transaction, replay, readAnswer));
  }
  if (token.expiresAt <= now) throw invalidGrant(UNKNOWN);
  const predecessor = token.createdAt + holdMs > now ? await findPredecessor(db, token) : undefined;
  // Without a seed its answer is not shared, so that no other request waits for this token to stay.
  if (predecessor !== undefined && predecessor.sealedSeed !== null) {
    const predecessorSeed = openSeed(sealer, predecessor, now);
    if (predecessorSeed === undefined) return { refusal: temporarilyUnavailable() };
    const { scopes, pair } = pairFor(predecessorSeed.seed);
    const parallel = { token, refreshToken: text, accessToken: pair.accessToken, scopes };
    const outcome = await db.transaction().execute((t) => issueParallel(t, parallel, { request, now }));
    return outcome ?? claimRefresh(db, request, options);
  }
  const begun = readBegunRefresh(token, options);
  if (begun === 'unreadable') return { refusal: temporarilyUnavailable() };
  const {
    seed,
    sharedUntil,
    senders: earlier,
  } = begun ?? { seed: createSeed(), sharedUntil: now + holdMs, senders: [] };
  const { address } = request.origin;
  const others = new Set(earlier.filter((sender) => sender !== address));
  const senders = [...[...others].slice(1 - MAX_SENDERS), address];
  const isShared = holdMs > 0 || retryMs > 0;
  const use = {
    tokenId: token.id,
    grantId: grant.id,
    previous: token.sharedUntil,
    previousSeed: token.sealedSeed,
    sharedUntil,
    sealedSeed: isShared ? sealSeed(sealer, { seed, senders }, token.id, now) : null,
    senders,
    ...pairFor(seed),
  };
  return { use };
}

/** Returns true for a grant older than `maxGrantMs`, which may be from before that setting. A partner's tokens need its secret, and last until it revokes them. */
function isOver({ clientId, createdAt }: Grant, { maxGrantMs, now }: ClaimOptions): boolean {
  return clientId !== null && maxGrantMs !== null && createdAt + maxGrantMs <= now;
}

/**
 * Reads the first step of a refresh that a gateway before 0.1.0 has begun.
 *
 * @returns undefined if none has; `unreadable` if it is sealed with a key that this node does not have (yet).
 */
function readBegunRefresh(
  token: RefreshToken,
  { sealer, now }: ClaimOptions,
): (Seed & { readonly sharedUntil: number }) | 'unreadable' | undefined {
  const { sharedUntil } = token;
  if (sharedUntil === null || sharedUntil + ABANDONED_AFTER_MS < now) return undefined;
  const seed = openSeed(sealer, token, now);
  return seed === undefined ? 'unreadable' : { ...seed, sharedUntil };
}
