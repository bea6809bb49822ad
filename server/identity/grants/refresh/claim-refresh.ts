/** First step of a refresh: checks the request, and opens an exchange of the token or joins the open one. */

import type { Kysely } from 'kysely';
import type { ValueSealer } from '../../../base/credentials/sealed-value.ts';
import { hashSecret } from '../../../base/principal/secrets.ts';
import { findGrant, type Grant } from '../../../base/store/repositories/oauth-grants.ts';
import { findRefreshToken, openRefresh, type RefreshToken } from '../../../base/store/repositories/refresh-tokens.ts';
import type { Database } from '../../../base/store/schema.ts';
import { checkActive } from '../../protocol/partner-suspended.ts';
import { checkResources } from '../../protocol/resource-indicator.ts';
import { type GrantOutcome, invalidGrant, requireParameter, temporarilyUnavailable } from '../grant-outcome.ts';
import { narrowScopes } from '../issue-tokens.ts';
import { createSeed, derivePair, openSeed, type Seed, sealSeed } from './derive-pair.ts';
import { answerReplay } from './replay.ts';
import type { RefreshExchange, RefreshRequest } from './request.ts';

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

/** An exchange that is not finished this long after its due time is abandoned: its node or client is gone. */
const ABANDONED_AFTER_MS = 10_000;

/** Addresses of one exchange that its audit event names. */
const MAX_SENDERS = 20;

const UNKNOWN = 'The refresh token is unknown, has expired, or was issued to another client.';

/**
 * Checks the request, and opens an exchange of the token or joins the open one.
 *
 * It decides by the token's row, which is the same for all nodes. As long as no successor is issued, a request joins the open exchange, also after
 * `issuesAt`. A request after that is a replay. A request that fails a check leaves no trace. Joining an exchange only reads. Opening one, or
 * adding another sender to it, is a single statement, so that concurrent requests do not wait for each other.
 *
 * @throws {OAuthError} `invalid_request`, `invalid_grant`, `invalid_target`, `invalid_scope`, `temporarily_unavailable`, status 400.
 */
export async function claimRefresh(
  db: Kysely<Database>,
  request: RefreshRequest,
  options: ClaimOptions,
): Promise<{ readonly exchange: RefreshExchange } | GrantOutcome> {
  const { form } = request;
  const { sealer, retryMs, now } = options;
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
    const replay = { grant, usedAt: token.usedAt, retryMs, now, origin: request.origin };
    const readAnswer = () => seed && { ...pairFor(seed.seed), senders: seed.senders };
    return db.transaction().execute((transaction) => answerReplay(transaction, replay, readAnswer));
  }
  if (token.expiresAt <= now) throw invalidGrant(UNKNOWN);
  const openExchange = readOpenExchange(token, options);
  if (openExchange === 'unreadable') return { refusal: temporarilyUnavailable() };
  const { address } = request.origin;
  const { seed, issuesAt, senders } = openExchange ?? {
    seed: createSeed(),
    issuesAt: now + options.holdMs,
    senders: [],
  };
  const exchange = { tokenId: token.id, tokenHash, grantId: grant.id, issuesAt, ...pairFor(seed) };
  const isKnown = senders.includes(address) || senders.length >= MAX_SENDERS;
  if (openExchange !== undefined && isKnown) return { exchange };
  const { id, issuesAt: previous, sealedSeed: previousSeed } = token;
  const sealedSeed = sealSeed(sealer, { seed, senders: [...senders, address] }, id, now);
  const opened = await openRefresh(db, { id, previous, previousSeed, issuesAt, sealedSeed });
  return opened ? { exchange } : claimRefresh(db, request, options);
}

/** Returns true for a grant older than `maxGrantMs`, which may be from before that setting. A partner's tokens need its secret, and last until it revokes them. */
function isOver({ clientId, createdAt }: Grant, { maxGrantMs, now }: ClaimOptions): boolean {
  return clientId !== null && maxGrantMs !== null && createdAt + maxGrantMs <= now;
}

/** @returns undefined if no exchange is open; `unreadable` if one is open, under a key that this node does not have (yet). */
function readOpenExchange(
  token: RefreshToken,
  { sealer, now }: ClaimOptions,
): (Seed & { readonly issuesAt: number }) | 'unreadable' | undefined {
  const { issuesAt } = token;
  if (issuesAt === null || issuesAt + ABANDONED_AFTER_MS < now) return undefined;
  const seed = openSeed(sealer, token, now);
  return seed === undefined ? 'unreadable' : { ...seed, issuesAt };
}
