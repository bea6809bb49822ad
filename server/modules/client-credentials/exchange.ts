/** Grant type `client_credentials` (RFC 6749 §4.4; MCP OAuth Client Credentials 2026-07-28, SEP-1046). */

import { createSecret } from '../../base/principal/secrets.ts';
import { emit } from '../../base/store/events.ts';
import { findClientGrant } from '../../base/store/repositories/live-access.ts';
import { extendGrant, lockGrant } from '../../base/store/repositories/oauth-grants.ts';
import type { Executor } from '../../base/store/schema.ts';
import { type GrantOutcome, invalidGrant, namesOf } from '../../identity/grants/grant-outcome.ts';
import {
  issueAccessTokenOf,
  narrowScopes,
  REFRESH_TOKEN_TTL_SECONDS,
  toTokenResponse,
} from '../../identity/grants/issue-tokens.ts';
import { AUTHORIZATION_CODE_TTL_SECONDS, type GrantRequest } from '../../identity/oauth/authorization-codes.ts';
import type { ClientGrantType } from '../../identity/oauth/context.ts';
import { OAuthError } from '../../identity/protocol/error.ts';
import { checkActive } from '../../identity/protocol/partner-suspended.ts';
import { checkResources } from '../../identity/protocol/resource-indicator.ts';
import { findUserClient } from './user-clients.ts';

/**
 * Issues an access token of the grant that the client's user gave it on the consent page, and no refresh token (RFC 6749 §4.4.3).
 *
 * There is no other kind of access: without such a grant there is no token, and what ends or narrows the grant does so to all its
 * tokens. Each token extends the grant as a refresh does. The client was authenticated before, by its secret or an assertion that is used once.
 *
 * @throws {OAuthError} `unauthorized_client`, `invalid_grant`, `invalid_target`, `invalid_scope`, `temporarily_unavailable` (400).
 */
export const CLIENT_CREDENTIALS: ClientGrantType = {
  name: 'client_credentials',
  isOfPartners: true,
  metadata: {},
  exchange: ({ db, maxGrantMs }, request) =>
    db.transaction().execute((transaction) => issueFor(transaction, request, maxGrantMs)),
};

async function issueFor(
  transaction: Executor,
  { client, form, now, origin }: GrantRequest,
  maxGrantMs: number | null,
): Promise<GrantOutcome> {
  const { clientId } = client;
  const bound = await findUserClient(transaction, clientId);
  if (bound === undefined) {
    const description = 'Only clients that a partner registered for one user may use this grant type.';
    throw new OAuthError(400, 'unauthorized_client', description);
  }
  const newest = await findClientGrant(transaction, { userId: bound.userId, clientId, now });
  const grant = newest && (await lockGrant(transaction, newest.id));
  const isOver = grant !== undefined && maxGrantMs !== null && grant.createdAt + maxGrantMs <= now;
  if (grant === undefined || grant.revokedAt !== null || isOver) {
    throw invalidGrant('The user has not allowed this client, or it has ended. Send the user to the consent page.');
  }
  checkActive(grant.partner);
  checkResources(form.getAll('resource'), grant.resource);
  const scopes = narrowScopes(grant, form.get('scope'));
  const accessToken = createSecret('accessToken');
  await issueAccessTokenOf(transaction, grant, { scopes, now, token: accessToken });
  const unusedUntil = now + REFRESH_TOKEN_TTL_SECONDS * 1000;
  await extendGrant(transaction, grant.id, Math.min(unusedUntil, grant.endsAt ?? unusedUntil));
  const isFirst = grant.expiresAt <= grant.createdAt + AUTHORIZATION_CODE_TTL_SECONDS * 1000;
  const type = isFirst ? 'tokens_issued' : 'tokens_refreshed';
  await emit(transaction, { type, now, ...namesOf(grant), ...origin });
  const pair = { accessToken, refreshToken: '' };
  const { refresh_token: _, ...tokens } = toTokenResponse(pair, scopes, { grant, issuedAt: now, now });
  return { grant, tokens };
}
