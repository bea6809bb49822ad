/** The result of an exchange for tokens, and the refusals that all grant types share. */

import type { Grant } from '../../base/store/repositories/oauth-grants.ts';
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

/** Whether a grant belongs to the partner itself, from a connect flow, and not to an OAuth client. */
export function isOfPartner(grant: Grant, partner: { readonly id: string }): boolean {
  return grant.clientId === null && grant.partnerId === partner.id;
}

/** How audit events identify a grant. */
export function namesOf(grant: Grant) {
  return { partnerId: grant.partnerId, userId: grant.userId, clientId: grant.clientId, grantId: grant.id };
}
