/** What every grant type of the token endpoint is given, and what it answers. */

import type { OAuthClient } from '../../store/repositories/oauth-clients.ts';
import type { Grant } from '../../store/repositories/oauth-grants.ts';
import type { Executor } from '../../store/schema.ts';
import type { RequestOrigin } from '../audit.ts';
import { OAuthError } from '../errors.ts';
import type { Form } from '../form.ts';
import type { TokenResponse } from './issue-tokens.ts';

export interface GrantRequest {
  /** Authenticated. */
  readonly client: OAuthClient;
  readonly form: Form;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** For audit events. */
  readonly origin: RequestOrigin;
}

/** A refusal is returned, not thrown, where the transaction must keep what it did: a replay that revokes a grant. */
export type GrantOutcome = { readonly tokens: TokenResponse } | { readonly refusal: OAuthError };

/** Exchanges what one grant type brings for tokens, within one transaction. An error rolls everything back. */
export type GrantHandler = (transaction: Executor, request: GrantRequest) => Promise<GrantOutcome>;

/** @throws {OAuthError} `invalid_request`, status 400, when the parameter is missing. */
export function requireParameter(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError(400, 'invalid_request', `${name} is missing.`);
  return value;
}

/** `invalid_grant`, status 400: makes clients ask the user again. */
export function invalidGrant(description: string): OAuthError {
  return new OAuthError(400, 'invalid_grant', description);
}

/** How audit events name a grant. */
export function namesOf(grant: Grant) {
  return { partnerId: grant.partnerId, userId: grant.userId, clientId: grant.clientId, grantId: grant.id };
}
