/** Last step of a refresh: invalidates the token and issues its successor. */

import { areApart } from '../../../base/http/network.ts';
import type { Scope } from '../../../base/principal/permission.ts';
import { hashSecret } from '../../../base/principal/secrets.ts';
import { emit } from '../../../base/store/events.ts';
import { findAccessTokenByHash } from '../../../base/store/repositories/access-tokens.ts';
import { type Grant, lockGrant } from '../../../base/store/repositories/oauth-grants.ts';
import {
  findRefreshToken,
  type RefreshToken,
  spendRefreshToken,
} from '../../../base/store/repositories/refresh-tokens.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { checkActive } from '../../protocol/partner-suspended.ts';
import { type GrantOutcome, invalidGrant, namesOf } from '../grant-outcome.ts';
import { issueAccessTokenOf, issueTokens, toTokenResponse } from '../issue-tokens.ts';
import type { RefreshRequest, RefreshUse } from './request.ts';

interface IssueOptions {
  readonly request: RefreshRequest;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Invalidates the old token and issues its successor in one transaction.
 *
 * @returns undefined if another request used the token first; nothing is issued then.
 * @throws {OAuthError} as `lockActiveGrant`.
 */
export async function issue(
  transaction: Executor,
  use: RefreshUse,
  { request, now }: IssueOptions,
): Promise<GrantOutcome | undefined> {
  const { tokenId: id, previous, previousSeed, sharedUntil, sealedSeed, scopes, pair, senders } = use;
  const grant = await lockActiveGrant(transaction, use.grantId);
  if (!(await spendRefreshToken(transaction, { id, previous, previousSeed, sharedUntil, sealedSeed, now })))
    return undefined;
  const tokens = await issueTokens(transaction, grant, { scopes, now, pair });
  const event = { ...namesOf(grant), ...request.origin, now, details: { senders } };
  await emit(transaction, { type: 'tokens_refreshed', ...event });
  if (areApart(senders)) await emit(transaction, { type: 'refresh_token_shared', ...event });
  return { tokens, grant };
}

/**
 * Issues an access token next to the refresh token, which stays valid.
 *
 * @param use.accessToken the same for all requests of the hold with these scopes, so that none of them adds another token.
 * @returns undefined if another request used the token meanwhile; nothing is issued then.
 * @throws {OAuthError} as `lockActiveGrant`.
 */
export async function issueParallel(
  transaction: Executor,
  use: {
    readonly token: RefreshToken;
    readonly refreshToken: string;
    readonly accessToken: string;
    readonly scopes: readonly Scope[];
  },
  { request, now }: IssueOptions,
): Promise<GrantOutcome | undefined> {
  const { token, scopes, refreshToken, accessToken } = use;
  const { grantId, tokenHash, createdAt } = token;
  const grant = await lockActiveGrant(transaction, grantId);
  if ((await findRefreshToken(transaction, tokenHash))?.usedAt !== null) return undefined;
  if ((await findAccessTokenByHash(transaction, hashSecret(transaction, accessToken))) === undefined) {
    await issueAccessTokenOf(transaction, grant, { scopes, now: createdAt, token: accessToken });
    const details = { senders: [request.origin.address] };
    await emit(transaction, { type: 'tokens_refreshed', ...namesOf(grant), ...request.origin, now, details });
  }
  return { tokens: toTokenResponse({ accessToken, refreshToken }, scopes, { grant, issuedAt: createdAt, now }), grant };
}

/** @throws {OAuthError} `invalid_grant`, status 400, when the grant was revoked meanwhile; and as `checkActive`. */
export async function lockActiveGrant(transaction: Executor, grantId: string): Promise<Grant> {
  const grant = await lockGrant(transaction, grantId);
  if (grant === undefined || grant.revokedAt !== null) throw invalidGrant('The refresh token was revoked.');
  checkActive(grant.partner);
  return grant;
}
