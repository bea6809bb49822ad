/** Authorization codes: issued when a user presses Allow, in the transaction that consumes the connection code; exchanged once for tokens. */

import type { RequestOrigin } from '../../base/http/request-origin.ts';
import { intersectPermissions, toScopes, writePermission } from '../../base/principal/permission.ts';
import { createSecret, digestOf, hashSecret, isSameHash } from '../../base/principal/secrets.ts';
import { emit } from '../../base/store/events.ts';
import { markClientUsed, type OAuthClient } from '../../base/store/repositories/oauth-clients.ts';
import {
  type AuthorizationCode,
  consumeAuthorizationCode,
  findAuthorizationCode,
  findGrant,
  type Grant,
  insertAuthorizationCode,
  insertGrant,
  lockGrant,
} from '../../base/store/repositories/oauth-grants.ts';
import { keepUser } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { ConsentChoice } from '../grants/allowed/consent-options.ts';
import { type GrantOutcome, invalidGrant, namesOf, requireParameter, revokeReplayed } from '../grants/grant-outcome.ts';
import { issueTokens } from '../grants/issue-tokens.ts';
import { OAuthError } from '../protocol/error.ts';
import type { Form } from '../protocol/form.ts';
import { checkActive } from '../protocol/partner-suspended.ts';
import { checkResources } from '../protocol/resource-indicator.ts';
import { acceptsRedirectUri } from './client-documents.ts';
import { type ConnectionCodeLimits, consumeConnectionCode } from './connection-codes.ts';

/** Lifetime of an authorization code: long enough for someone to copy the redirect URL by hand. */
export const AUTHORIZATION_CODE_TTL_SECONDS = 300;

/** RFC 7636 §4.1. */
const CODE_VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

const UNKNOWN = 'The authorization code is unknown, has expired, or was issued to another client.';

/** A user's consent to an authorization request. */
interface Consent {
  /** The authorization request. */
  readonly request: {
    readonly clientId: string;
    /** Resource indicator (RFC 8707). */
    readonly resource: string;
    /** Byte for byte as sent. */
    readonly redirectUri: string;
    /** RFC 7636, method S256. */
    readonly codeChallenge: string;
  };
  /** Row id, from `findConnectionCode`. */
  readonly userId: string;
  /** The user's choice. */
  readonly access: ConsentChoice;
  /** As the user typed it. */
  readonly connectionCodeText: string;
  /** Longest lifetime of the grant, in milliseconds. Default: each refresh extends it. */
  readonly maxGrantMs?: number | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** For the audit event. */
  readonly origin?: RequestOrigin;
}

/**
 * Consumes the connection code, creates the grant and issues its authorization code, `utg_ac_...`.
 *
 * The grant never exceeds what the connection code allows, whatever the request asks for. Writes the event `consent_given`.
 *
 * @returns undefined when the connection code was used or has expired, or its user was removed: exactly one of several concurrent callers
 * gets a code.
 * @throws {OAuthError} `invalid_client`, status 400, when the client's registration was removed; `invalid_scope`, status 400,
 * `redirectable: true`, when nothing is left to grant.
 */
export async function issueAuthorizationCode(transaction: Executor, consent: Consent): Promise<string | undefined> {
  const { request, userId, now } = consent;
  const { clientId, redirectUri, codeChallenge, resource } = request;
  if ((await keepUser(transaction, { id: userId })) === undefined) return undefined;
  if (!(await markClientUsed(transaction, clientId, now))) {
    throw new OAuthError(400, 'invalid_client', 'The client is not registered, or its registration has expired.');
  }
  const consumed = await consumeConnectionCode(transaction, consent.connectionCodeText, now);
  if (consumed === undefined) return undefined;
  if (consumed.userId !== userId) throw new Error('the connection code speaks for another user');

  const { limits } = consumed;
  const { scopes, services, permission } = intersect(consent.access, limits);
  if (scopes.length === 0) {
    throw new OAuthError(400, 'invalid_scope', 'The connection code allows none of these scopes.', {
      redirectable: true,
    });
  }
  const expiresAt = now + AUTHORIZATION_CODE_TTL_SECONDS * 1000;
  const grantId = await insertGrant(transaction, {
    clientId,
    userId,
    scopes,
    services,
    permission: writePermission(permission),
    resource,
    redirectUri,
    now,
    expiresAt,
    endsAt: endOf(now, limits.grantSeconds, consent.maxGrantMs ?? null),
  });

  const code = createSecret('authorizationCode');
  const codeHash = hashSecret(transaction, code);
  await insertAuthorizationCode(transaction, { codeHash, grantId, redirectUri, codeChallenge, now, expiresAt });
  await emit(transaction, {
    type: 'consent_given',
    now,
    partnerId: (await findGrant(transaction, grantId))?.partnerId ?? null,
    userId,
    clientId,
    grantId,
    ...consent.origin,
    details: {
      scopes,
      services,
      leftOut: permission.without.length,
      frozen: permission.only !== null,
      pins: permission.pins,
      redirectUri,
    },
  });
  return code;
}

/** Returns the earlier of the expiries that the connection code and the operator set. Returns null if neither sets one. */
function endOf(now: number, grantSeconds: number | null, maxGrantMs: number | null): number | null {
  if (grantSeconds === null) return maxGrantMs === null ? null : now + maxGrantMs;
  return now + Math.min(grantSeconds * 1000, maxGrantMs ?? Number.POSITIVE_INFINITY);
}

/** A grant never exceeds what its connection code allows. */
function intersect(choice: ConsentChoice, limits: ConnectionCodeLimits): ConsentChoice {
  const { services, readOnly } = limits;
  return {
    scopes: choice.scopes.filter((scope) => scope !== 'tools:write' || !readOnly),
    services:
      choice.services === null || services === null
        ? (choice.services ?? services)
        : choice.services.filter((service) => services.includes(service)),
    permission: intersectPermissions(choice.permission, limits.permission),
  };
}

/** An authenticated client's request for tokens. */
export interface GrantRequest {
  readonly client: OAuthClient;
  readonly form: Form;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** For audit events. */
  readonly origin: RequestOrigin;
}

/**
 * Grant type `authorization_code` (RFC 6749 §4.1.3) with its proof key (RFC 7636 §4.5).
 *
 * `redirect_uri` may be left out, as OAuth 2.1 does: the proof key binds the code to its client. It is compared if it is sent.
 *
 * Exchanges a code once: exactly one of several concurrent requests, in any process, gets tokens.
 *
 * Every later use of the code revokes the tokens of the first (RFC 6749 §4.1.2): two parties have it, so one of them
 * stole it. A request that fails a check does not consume the code.
 *
 * @throws {OAuthError} `invalid_request`, `invalid_grant`, `invalid_target`, `temporarily_unavailable`, status 400.
 */
export async function exchangeAuthorizationCode(transaction: Executor, request: GrantRequest): Promise<GrantOutcome> {
  const { client, form, now } = request;
  const codeHash = hashSecret(transaction, requireParameter(form, 'code'));
  const redirectUri = form.get('redirect_uri');
  const codeVerifier = requireParameter(form, 'code_verifier');

  const code = await findAuthorizationCode(transaction, codeHash);
  const grant = code && (await lockGrant(transaction, code.grantId));
  if (code === undefined || grant === undefined || grant.clientId !== client.clientId) throw invalidGrant(UNKNOWN);
  if (code.consumedAt !== null) return endReplayed(transaction, grant, request);
  if (code.expiresAt <= now) throw invalidGrant(UNKNOWN);
  checkActive(grant.partner);
  checkBinding(code, { redirectUri, codeVerifier });
  if (!acceptsRedirectUri(client, code.redirectUri))
    throw invalidGrant('The client no longer names this redirect_uri.');
  checkResources(form.getAll('resource'), grant.resource);

  if (!(await consumeAuthorizationCode(transaction, codeHash, now))) return endReplayed(transaction, grant, request);
  const tokens = await issueTokens(transaction, grant, { scopes: toScopes(grant.scopes), now });
  await emit(transaction, { type: 'tokens_issued', now, ...namesOf(grant), ...request.origin });
  return { tokens, grant };
}

function checkBinding(code: AuthorizationCode, sent: { redirectUri: string | undefined; codeVerifier: string }): void {
  if (sent.redirectUri !== undefined && sent.redirectUri !== code.redirectUri) {
    throw invalidGrant('redirect_uri differs from that of the authorization request.');
  }
  if (!CODE_VERIFIER.test(sent.codeVerifier) || !isSameHash(digestOf(sent.codeVerifier), code.codeChallenge)) {
    throw invalidGrant('code_verifier does not match the code_challenge of the authorization request.');
  }
}

async function endReplayed(transaction: Executor, grant: Grant, { now, origin }: GrantRequest): Promise<GrantOutcome> {
  await revokeReplayed(transaction, grant, { type: 'authorization_code_replayed', now, origin });
  return { refusal: invalidGrant('The authorization code was already used.') };
}
