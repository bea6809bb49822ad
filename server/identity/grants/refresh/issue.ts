/** Last step of a refresh: the first due request of an exchange issues the tokens, and all others find them issued. */

import type { ValueSealer } from '../../../base/credentials/sealed-value.ts';
import { areApart } from '../../../base/http/network.ts';
import { emit } from '../../../base/store/events.ts';
import { lockGrant } from '../../../base/store/repositories/oauth-grants.ts';
import { eraseSeed, findRefreshToken, finishRefresh } from '../../../base/store/repositories/refresh-tokens.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { checkActive } from '../../protocol/partner-suspended.ts';
import { type GrantOutcome, invalidGrant, namesOf, temporarilyUnavailable } from '../grant-outcome.ts';
import { issueAccessTokenOf, issueTokens, toTokenResponse } from '../issue-tokens.ts';
import { openSeed } from './derive-pair.ts';
import type { RefreshExchange, RefreshRequest } from './request.ts';

interface IssueOptions {
  readonly request: RefreshRequest;
  readonly sealer: ValueSealer;
  /** Requests of this exchange on this node, for the audit event. */
  readonly requests: number;
  readonly retryMs: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Invalidates the old token and issues its successor in one transaction, or answers with what another request issued.
 *
 * A request with other scopes than the request that issued adds another access token. The seed is deleted when the tokens
 * are issued, unless lost answers are repeated: every request of the exchange has it by then.
 *
 * @throws {OAuthError} `invalid_grant`, status 400, when the grant was revoked meanwhile; and as `checkActive`.
 */
export async function issue(
  transaction: Executor,
  exchange: RefreshExchange,
  options: IssueOptions,
): Promise<GrantOutcome> {
  const { tokenId: id, issuesAt, scopes, pair } = exchange;
  const { now, retryMs, requests, sealer } = options;
  const { origin } = options.request;
  const grant = await lockGrant(transaction, exchange.grantId);
  if (grant === undefined || grant.revokedAt !== null) throw invalidGrant('The refresh token was revoked.');
  checkActive(grant.partner);
  const finished = await finishRefresh(transaction, { id, issuesAt, now });
  if (finished !== undefined) {
    if (retryMs === 0) await eraseSeed(transaction, id);
    const tokens = await issueTokens(transaction, grant, { scopes, now, pair });
    const senders = openSeed(sealer, finished, now)?.senders ?? [origin.address];
    const event = { ...namesOf(grant), ...origin, now, details: { requests, senders } };
    await emit(transaction, { type: 'tokens_refreshed', ...event });
    if (areApart(senders)) await emit(transaction, { type: 'refresh_token_shared', ...event, details: { senders } });
    return { tokens, grant };
  }
  const token = await findRefreshToken(transaction, exchange.tokenHash);
  if (token === undefined || token.usedAt === null || token.issuesAt !== issuesAt) {
    return { refusal: temporarilyUnavailable() };
  }
  const { usedAt } = token;
  await issueAccessTokenOf(transaction, grant, { scopes, now: usedAt, token: pair.accessToken });
  return { tokens: toTokenResponse(pair, scopes, { grant, issuedAt: usedAt, now }), grant };
}
