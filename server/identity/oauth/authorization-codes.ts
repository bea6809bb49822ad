/** Authorization codes: issued when a user presses Allow, in the transaction that consumes the connection code. */

import type { RequestOrigin } from '../../base/http/request-origin.ts';
import { intersectPermissions, type Permission, writePermission } from '../../base/principal/permission.ts';
import type { Scope } from '../../base/principal/scopes.ts';
import { createSecret, hashSecret } from '../../base/secrets.ts';
import { recordAuditEvent } from '../../base/store/repositories/audit-events.ts';
import { markClientUsed } from '../../base/store/repositories/oauth-clients.ts';
import { insertAuthorizationCode } from '../../base/store/repositories/oauth-codes.ts';
import { findGrant, insertGrant } from '../../base/store/repositories/oauth-grants.ts';
import { keepUser } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';
import { OAuthError } from '../protocol/error.ts';
import { consumeConnectionCode } from './connection-codes.ts';

/** Lifetime of an authorization code: long enough for someone to copy the redirect URL by hand. */
const AUTHORIZATION_CODE_TTL_SECONDS = 300;

/** What the user allowed. */
interface Consent {
  readonly clientId: string;
  /** Row id, from `findConnectionCode`. */
  readonly userId: string;
  readonly scopes: readonly Scope[];
  /** Services that the grant is narrowed to, usually `FoundConnectionCode.narrowedTo`; null: all of the user's. */
  readonly services: readonly string[] | null;
  /** The user's choice of tools. */
  readonly permission: Permission;
  /** Resource indicator (RFC 8707). */
  readonly resource: string;
  /** As in the authorization request, byte for byte. */
  readonly redirectUri: string;
  /** RFC 7636, method S256. */
  readonly codeChallenge: string;
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
  const { now } = consent;
  if ((await keepUser(transaction, { id: consent.userId })) === undefined) return undefined;
  if (!(await markClientUsed(transaction, consent.clientId, now))) {
    throw new OAuthError(400, 'invalid_client', 'The client is not registered, or its registration has expired.');
  }
  const consumed = await consumeConnectionCode(transaction, consent.connectionCodeText, now);
  if (consumed === undefined) return undefined;
  if (consumed.userId !== consent.userId) throw new Error('the connection code speaks for another user');

  const { limits } = consumed;
  const scopes = consent.scopes.filter((scope) => scope !== 'tools:write' || !limits.readOnly);
  if (scopes.length === 0) {
    throw new OAuthError(400, 'invalid_scope', 'The connection code allows none of these scopes.', {
      redirectable: true,
    });
  }
  const services = intersect(consent.services, limits.services);
  const permission = intersectPermissions(consent.permission, limits.permission);
  const expiresAt = now + AUTHORIZATION_CODE_TTL_SECONDS * 1000;
  const { clientId, userId, resource, redirectUri, codeChallenge } = consent;
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
  await insertAuthorizationCode(transaction, {
    codeHash: hashSecret(code),
    grantId,
    redirectUri,
    codeChallenge,
    now,
    expiresAt,
  });
  await recordAuditEvent(transaction, {
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

/** The earlier of the expiries that the connection code and the operator set; null when neither does. */
function endOf(now: number, grantSeconds: number | null, maxGrantMs: number | null): number | null {
  if (grantSeconds === null) return maxGrantMs === null ? null : now + maxGrantMs;
  return now + Math.min(grantSeconds * 1000, maxGrantMs ?? Number.POSITIVE_INFINITY);
}

function intersect(asked: readonly string[] | null, allowed: readonly string[] | null): readonly string[] | null {
  if (asked === null || allowed === null) return asked ?? allowed;
  return asked.filter((service) => allowed.includes(service));
}
