/** Grant type `authorization_code` (RFC 6749 §4.1.3) with its proof key (RFC 7636 §4.5). */

import { recordAnonymousEvent } from '../../../base/http/limits/anonymous-event.ts';
import { toScopes } from '../../../base/principal/scopes.ts';
import { hashSecret, matchesHash } from '../../../base/secrets.ts';
import { recordAuditEvent } from '../../../base/store/repositories/audit-events.ts';
import {
  type AuthorizationCode,
  consumeAuthorizationCode,
  findAuthorizationCode,
} from '../../../base/store/repositories/oauth-codes.ts';
import { type Grant, lockGrant, revokeGrant } from '../../../base/store/repositories/oauth-grants.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { type GrantOutcome, invalidGrant, namesOf, requireParameter } from '../../grants/grant-outcome.ts';
import { issueTokens } from '../../grants/issue-tokens.ts';
import { checkActive } from '../../protocol/partner-suspended.ts';
import { checkResources } from '../../protocol/resource-indicator.ts';
import { acceptsRedirectUri } from '../client-documents/redirect-uri.ts';
import type { GrantRequest } from './grant-request.ts';

/** RFC 7636 §4.1. */
const CODE_VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

const UNKNOWN = 'The authorization code is unknown, has expired, or was issued to another client.';

/**
 * Exchanges a code once: exactly one of several concurrent requests, in any process, gets tokens.
 *
 * Every later use of the code revokes the tokens of the first (RFC 6749 §4.1.2): two parties have it, so one of them
 * stole it. A request that fails a check does not consume the code.
 *
 * @throws {OAuthError} `invalid_request`, `invalid_grant`, `invalid_target`, `temporarily_unavailable`, status 400.
 */
export async function exchangeAuthorizationCode(transaction: Executor, request: GrantRequest): Promise<GrantOutcome> {
  const { client, form, now } = request;
  const codeHash = hashSecret(requireParameter(form, 'code'));
  const redirectUri = requireParameter(form, 'redirect_uri');
  const codeVerifier = requireParameter(form, 'code_verifier');

  const code = await findAuthorizationCode(transaction, codeHash);
  const grant = code && (await lockGrant(transaction, code.grantId));
  if (code === undefined || grant === undefined || grant.clientId !== client.clientId) throw invalidGrant(UNKNOWN);
  if (code.consumedAt !== null) return revokeReplayed(transaction, grant, request);
  if (code.expiresAt <= now) throw invalidGrant(UNKNOWN);
  checkActive(grant.partner);
  checkBinding(code, { redirectUri, codeVerifier });
  if (!acceptsRedirectUri(client, redirectUri)) throw invalidGrant('The client no longer names this redirect_uri.');
  checkResources(form.getAll('resource'), grant.resource);

  if (!(await consumeAuthorizationCode(transaction, codeHash, now))) return revokeReplayed(transaction, grant, request);
  const tokens = await issueTokens(transaction, grant, { scopes: toScopes(grant.scopes), now });
  await recordAuditEvent(transaction, { type: 'tokens_issued', now, ...namesOf(grant), ...request.origin });
  return { tokens, grant };
}

function checkBinding(code: AuthorizationCode, sent: { redirectUri: string; codeVerifier: string }): void {
  if (sent.redirectUri !== code.redirectUri) {
    throw invalidGrant('redirect_uri differs from that of the authorization request.');
  }
  if (!CODE_VERIFIER.test(sent.codeVerifier) || !matchesHash(sent.codeVerifier, code.codeChallenge)) {
    throw invalidGrant('code_verifier does not match the code_challenge of the authorization request.');
  }
}

async function revokeReplayed(transaction: Executor, grant: Grant, request: GrantRequest): Promise<GrantOutcome> {
  const { now, origin } = request;
  const revoked = await revokeGrant(transaction, grant.id, { reason: 'code-replayed', now });
  const event = { type: 'authorization_code_replayed', now, ...origin } as const;
  if (revoked) await recordAuditEvent(transaction, { ...event, ...namesOf(grant), details: { revoked } });
  else await recordAnonymousEvent(transaction, event);
  return { refusal: invalidGrant('The authorization code was already used.') };
}
