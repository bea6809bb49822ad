/** Reads the claims of a verified identity assertion: client, resource, user and scopes. */

import { z } from 'zod';
import { SCOPES, type Scope, toScopes } from '../../base/principal/permission.ts';
import { invalidGrant } from '../../identity/grants/grant-outcome.ts';
import { isUserId } from '../../identity/partners/user-id.ts';
import { OAuthError } from '../../identity/protocol/error.ts';
import { isOwnResource } from '../../identity/protocol/resource-indicator.ts';
import type { VerifiedAssertion } from './verify.ts';

/** Scopes of an assertion that names none: the least useful set. */
const DEFAULT_SCOPES: readonly Scope[] = ['tools:read'];

const text = z.string().min(1);
const CLAIMS = z.object({
  jti: text,
  client_id: text,
  resource: z.union([text.transform((one) => [one]), z.array(text).min(1)]).optional(),
  scope: z.string().optional(),
});

/** Claims that restrict a token in ways that this server cannot enforce. */
const RESTRICTIONS = ['cnf', 'authorization_details'];

/** The access that an assertion allows. */
export interface AssertedAccess {
  /** The partner's own name for the user. */
  readonly externalUserId: string;
  readonly scopes: readonly Scope[];
  /** Unique for the issuer, while the assertion is valid. */
  readonly jti: string;
}

/**
 * Checks what the signature does not cover: client, resource, restrictions, user and scopes.
 *
 * `resource` may be missing, because this server has one resource (MCP Enterprise-Managed Authorization §4.3). It grants the
 * scopes that both the assertion and the request name (§7.2.1).
 *
 * @param sent.clientId the authenticated client. @param sent.scope of the request.
 * @throws {OAuthError} `invalid_grant`, or `invalid_scope` for a request that asks for no asserted scope; status 400.
 */
export function readAssertedAccess(
  { issuer, claims }: VerifiedAssertion,
  sent: { readonly clientId: string; readonly scope: string | undefined; readonly resource: string },
): AssertedAccess {
  const parsed = CLAIMS.safeParse(claims);
  if (!parsed.success) throw invalidGrant(`The claim ${String(parsed.error.issues[0]?.path[0])} cannot be used.`);
  const { jti, client_id, resource = [], scope } = parsed.data;
  if (client_id !== sent.clientId) throw invalidGrant('The assertion is for another client: see its claim client_id.');
  if (!resource.every((one) => isOwnResource(one, sent.resource))) {
    throw invalidGrant(`The assertion is for another resource: its claim resource must be ${sent.resource}.`);
  }
  const restriction = RESTRICTIONS.find((name) => claims[name] !== undefined);
  if (restriction !== undefined)
    throw invalidGrant(`The claim ${restriction} asks for a restriction that this server cannot enforce.`);
  return { externalUserId: readSubject({ issuer, claims }), scopes: intersect(scope, sent.scope), jti };
}

function readSubject({ issuer: { subjectClaim }, claims }: VerifiedAssertion): string {
  const subject = claims[subjectClaim];
  if (typeof subject !== 'string' || !isUserId(subject)) {
    throw invalidGrant(`The claim ${subjectClaim}, which must name the user, is missing or cannot be used.`);
  }
  if (subjectClaim === 'email' && claims.email_verified === false) {
    throw invalidGrant('The issuer says that the email of the user is not verified.');
  }
  return subject;
}

/** Scopes that this server does not know are ignored, as those of an authorization request are (RFC 6749 §3.3). */
function intersect(asserted: string | undefined, requested: string | undefined): Scope[] {
  const allowed = asserted === undefined ? DEFAULT_SCOPES : toScopes(namesIn(asserted));
  if (allowed.length === 0) throw invalidGrant(`The scope of the assertion must name ${SCOPES.join(' or ')}.`);
  if (requested === undefined) return [...allowed];
  const scopes = allowed.filter((scope) => namesIn(requested).includes(scope));
  if (scopes.length > 0) return scopes;
  throw new OAuthError(400, 'invalid_scope', `The scope must be part of what was asserted: ${allowed.join(' ')}.`);
}

function namesIn(scope: string): string[] {
  return scope.split(' ').filter((name) => name !== '');
}
