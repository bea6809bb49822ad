/** Grant type `refresh_token` (RFC 6749 §6) with rotation (RFC 9700 §4.14.2). */

import type { RequestOrigin } from '../http/request-origin.ts';
import { OAuthError } from '../oauth-protocol/error.ts';
import type { Form } from '../oauth-protocol/form.ts';
import { checkResources } from '../oauth-protocol/resource-indicator.ts';
import { type Scope, toScopes } from '../principal/scopes.ts';
import { hashSecret } from '../secrets.ts';
import { recordAuditEvent } from '../store/repositories/audit-events.ts';
import { type Grant, lockGrant, revokeGrant } from '../store/repositories/oauth-grants.ts';
import { findRefreshToken, useRefreshToken } from '../store/repositories/refresh-tokens.ts';
import type { Executor } from '../store/schema.ts';
import { type GrantOutcome, invalidGrant, namesOf, requireParameter } from './grant-outcome.ts';
import { issueTokens } from './issue-tokens.ts';

/** A replay within this time is how two windows of one client look that refresh at once: it fails and revokes nothing. */
const REPLAY_GRACE_SECONDS = 10;

/** A request for the next tokens of a grant. */
interface RefreshRequest {
  readonly form: Form;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** For audit events. */
  readonly origin: RequestOrigin;
}

const UNKNOWN = 'The refresh token is unknown, has expired, or was issued to another client.';

/**
 * Exchanges a refresh token for its successor and an access token.
 *
 * The old token is invalid the instant the new one exists, because one transaction does both; of any number of
 * simultaneous requests exactly one succeeds. A replay fails, and after `REPLAY_GRACE_SECONDS` it revokes the grant:
 * two have the token, and one of them stole it. A request that fails a check does not use the token up.
 *
 * @throws {OAuthError} `invalid_request`, `invalid_grant`, `invalid_target`, `invalid_scope`, status 400.
 */
export async function exchangeRefreshToken(
  transaction: Executor,
  request: RefreshRequest,
  isIssuedToSender: (grant: Grant) => boolean,
): Promise<GrantOutcome> {
  const { form, now } = request;
  const tokenHash = hashSecret(requireParameter(form, 'refresh_token'));

  const token = await findRefreshToken(transaction, tokenHash);
  const grant = token && (await lockGrant(transaction, token.grantId));
  if (token === undefined || grant === undefined || !isIssuedToSender(grant)) throw invalidGrant(UNKNOWN);
  if (grant.revokedAt !== null) throw invalidGrant('The refresh token was revoked.');
  if (token.usedAt !== null) return refuseReplayed(transaction, grant, token.usedAt, request);
  if (token.expiresAt <= now) throw invalidGrant(UNKNOWN);
  checkResources(form.getAll('resource'), grant.resource);
  const scopes = narrowScopes(grant, form.get('scope'));

  if (!(await useRefreshToken(transaction, token.id, now))) return refuseReplayed(transaction, grant, now, request);
  const tokens = await issueTokens(transaction, grant, { scopes, now });
  await recordAuditEvent(transaction, { type: 'tokens_refreshed', now, ...namesOf(grant), ...request.origin });
  return { tokens, grant };
}

/** The access token may get less than the grant, never more. Scopes that are none of the gateway's are ignored. */
function narrowScopes(grant: Grant, requested: string | undefined): Scope[] {
  const granted = toScopes(grant.scopes);
  if (requested === undefined) return granted;
  const scopes = toScopes(requested.split(' '));
  if (scopes.length === 0) return granted;
  if (!scopes.every((scope) => granted.includes(scope))) {
    throw new OAuthError(400, 'invalid_scope', `The scope must be part of what was granted: ${granted.join(' ')}.`);
  }
  return scopes;
}

async function refuseReplayed(
  transaction: Executor,
  grant: Grant,
  usedAt: number,
  request: RefreshRequest,
): Promise<GrantOutcome> {
  const { now, origin } = request;
  const late = now - usedAt > REPLAY_GRACE_SECONDS * 1000;
  const revoked = late && (await revokeGrant(transaction, grant.id, { reason: 'refresh-token-replayed', now }));
  await recordAuditEvent(transaction, {
    type: 'refresh_token_replayed',
    now,
    ...namesOf(grant),
    ...origin,
    details: { revoked },
  });
  return { refusal: invalidGrant('The refresh token was already used.') };
}
