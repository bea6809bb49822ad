/** The result of an exchange for tokens, and what all grant types share: refusals, and the end of a grant that was stolen. */

import { recordAnonymousEvent } from '../../base/http/caller-limits.ts';
import type { RequestOrigin } from '../../base/http/request-origin.ts';
import { emit } from '../../base/store/events.ts';
import { type Grant, revokeGrant } from '../../base/store/repositories/oauth-grants.ts';
import type { Executor } from '../../base/store/schema.ts';
import { OAuthError } from '../protocol/error.ts';
import type { Form } from '../protocol/form.ts';
import type { TokenResponse } from './issue-tokens.ts';

/** A refusal is returned, not thrown, if the transaction must be committed: a replay revokes a grant. */
export type GrantOutcome = { readonly tokens: TokenResponse; readonly grant: Grant } | { readonly refusal: OAuthError };

/** @throws {OAuthError} `invalid_request`, status 400, when the parameter is missing. */
export function requireParameter(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError(400, 'invalid_request', `${name} is missing.`);
  return value;
}

/**
 * The handler for the form's `grant_type`.
 *
 * @throws {OAuthError} `invalid_request` or `unsupported_grant_type`, status 400.
 */
export function requireGrantType<Handler>(form: Form, grantTypes: ReadonlyMap<string, Handler>): Handler {
  const handler = grantTypes.get(requireParameter(form, 'grant_type'));
  if (handler !== undefined) return handler;
  const description = `grant_type must be one of ${[...grantTypes.keys()].join(', ')}.`;
  throw new OAuthError(400, 'unsupported_grant_type', description);
}

/** `invalid_grant`, status 400: clients then ask the user again. */
export function invalidGrant(description: string): OAuthError {
  return new OAuthError(400, 'invalid_grant', description);
}

const RETRY_AFTER_SECONDS = 1;

/**
 * `temporarily_unavailable`, status 400.
 *
 * The code of RFC 6749 §4.1.2.1, because clients treat `invalid_grant` as the end of their session, and drop the tokens that
 * a parallel request just got; after a 5xx, they send the user away to sign in.
 */
export function temporarilyUnavailable(): OAuthError {
  const description =
    'The refresh token is in use, or was used a moment ago. Continue with the tokens that the first request got.';
  return new OAuthError(400, 'temporarily_unavailable', description, {
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}

/** Returns true if a grant belongs to the partner itself, from a connect flow, and not to an OAuth client. */
export function isOfPartner(grant: Grant, partner: { readonly id: string }): boolean {
  return grant.clientId === null && grant.partnerId === partner.id;
}

/** Returns the members by which audit events identify a grant. */
export function namesOf(grant: Grant) {
  return { partnerId: grant.partnerId, userId: grant.userId, clientId: grant.clientId, grantId: grant.id };
}

/**
 * Revokes the grant of a code or token that was used twice: two parties have it, so the token or code was stolen.
 *
 * Only the replay that revokes is recorded in full, so that repeating it does not fill the store.
 */
export async function revokeReplayed(
  transaction: Executor,
  grant: Grant,
  replay: {
    readonly type: 'authorization_code_replayed' | 'connect_code_replayed' | 'refresh_token_replayed';
    /** Milliseconds since 1970. */
    readonly now: number;
    readonly origin: RequestOrigin;
    readonly details?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const { type, now, origin } = replay;
  const reason = type === 'refresh_token_replayed' ? 'refresh-token-replayed' : 'code-replayed';
  const revoked = await revokeGrant(transaction, grant.id, { reason, now });
  const event = { type, now, ...origin };
  if (!revoked) return recordAnonymousEvent(transaction, event);
  await emit(transaction, { ...event, ...namesOf(grant), details: { ...replay.details, revoked } });
}
