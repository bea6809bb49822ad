/** Rejects OAuth requests of a suspended partner: from clients of its users, and from the partner itself. */

import { describeSuspension } from '../../base/principal/principal.ts';
import { OAuthError } from './error.ts';

interface PartnerState {
  readonly clientId: string;
  readonly name: string;
  /** Milliseconds since 1970, or null. */
  readonly suspendedAt: number | null;
}

/**
 * Seconds after which a client may try again. It is soon enough for clients that retry by themselves, and late enough to slow down clients that retry
 * at once.
 */
const RETRY_AFTER_SECONDS = 300;

/** RFC 6749 §5.2: characters of an `error_description`. */
const DESCRIBABLE = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * Rejects a client's request on behalf of a suspended partner's user.
 *
 * @throws {OAuthError} `temporarily_unavailable` (400), the code of RFC 6749 §4.1.2.1: clients drop their tokens on
 * `invalid_grant`, their registration on `unauthorized_client`, and sign in again on a code that they do not know.
 */
export function checkActive(partner: PartnerState): void {
  if (partner.suspendedAt === null) return;
  const { text, advice } = describeSuspension(DESCRIBABLE.test(partner.name) ? partner.name : partner.clientId);
  throw new OAuthError(400, 'temporarily_unavailable', `${text} ${advice}`, {
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}

/**
 * Rejects a request that a suspended partner makes with its own secret.
 *
 * @throws {OAuthError} `partner_suspended` (403).
 */
export function checkOwnActive({ suspendedAt }: PartnerState): void {
  if (suspendedAt === null) return;
  const description =
    'This partner is suspended: its secrets do not work, and requests for its users are refused. Ask the people who run this gateway.';
  throw new OAuthError(403, 'partner_suspended', description);
}
