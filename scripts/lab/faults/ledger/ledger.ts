/** The record of what the gateways told the load: every write they acknowledged, every code they accepted, every response. */

import { hash } from 'node:crypto';

/** Secrets that can be redeemed once. */
export type Redeemable = 'connection code' | 'authorization code' | 'connect code' | 'refresh token';

/**
 * The load's knowledge of a grant.
 *
 * `live`: nothing happened that could have ended it. `revoked`: its revocation was acknowledged. `unsure`: a request that may have ended it
 * got no response, or should make the gateway end it, such as a code that is used twice.
 */
export interface KnownGrant {
  state: 'live' | 'revoked' | 'unsure';
}

/** A pair of tokens that was issued. */
export interface AcknowledgedTokens {
  readonly grant: KnownGrant;
  /** The token's `digest`. */
  readonly access: string;
  readonly refresh: string;
}

/** A call that was answered with a result. */
export interface AnsweredCall {
  /** Index of the node. */
  readonly node: number;
  /** Milliseconds since 1970, by a correct clock. */
  readonly answeredAt: number;
  readonly requestId: string;
  /** The upstream's text for this user's credential and this call. */
  readonly expected: string;
  /** The response's text in that place. */
  readonly got: string;
}

export interface Ledger {
  /** `client_id`s. */
  readonly registrations: string[];
  /** The partner's name for the user, a space, and the service. */
  readonly connections: string[];
  readonly tokens: AcknowledgedTokens[];
  /** Every successful use of a secret, with its outcome. */
  readonly redeemed: { readonly kind: Redeemable; readonly secret: string; readonly answer: string }[];
  readonly calls: AnsweredCall[];
  /** Nodes that were killed, and when. */
  readonly kills: { readonly node: number; readonly at: number }[];
}

export function createLedger(): Ledger {
  return { registrations: [], connections: [], tokens: [], redeemed: [], calls: [], kills: [] };
}

/** Returns a SHA-256 as base64url. The ledger stores it in place of a secret, and the store hashes it under its key. */
export function digest(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Returns the name that an echoing upstream gives a credential. */
export function markOf(credential: string): string {
  return digest(credential).slice(0, 16);
}
